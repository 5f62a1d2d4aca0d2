#include "eqm/data/public_sets.h"

#include <cctype>
#include <vector>

namespace eqm {
namespace {

struct PublicSet {
  std::vector<std::string_view> names;  // in the form of simple_name()
  std::string_view advice;
};

const std::vector<PublicSet>& public_sets() {
  static const std::vector<PublicSet> sets = {
      {{"fashionmnist", "fmnist", "fashion"}, "its name here is fashion-mnist"},
      {{"mnist", "digits"}, "its name here is mnist; scripts/get_mnist.sh fetches it"},
      {{"kmnist", "emnist", "qmnist"},
       "give the folder of its IDX files (train-images-idx3-ubyte.gz and the others)"},
      {{"cifar10", "cifar"},
       "download cifar-10-binary.tar.gz from www.cs.toronto.edu/~kriz/cifar.html, unpack it, and "
       "give the folder of its .bin files"},
      {{"cifar100"},
       "download it from www.cs.toronto.edu/~kriz/cifar.html, save its pictures as PNG in a folder "
       "per class, and give the folder above them"},
      {{"imagenet", "imagenet1k", "ilsvrc", "ilsvrc2012", "imagenet256", "imagenet256latents"},
       "download ILSVRC2012 from image-net.org and give its train folder, with a folder per class; "
       "for latents, `eqm encode` it first (docs/interop.md)"},
      {{"tinyimagenet", "tinyimagenet200"},
       "download tiny-imagenet-200.zip from cs231n.stanford.edu, unpack it, and give its train "
       "folder"},
      {{"imagenet32", "imagenet64"},
       "download it from image-net.org and give a folder of its pictures, or an .npz of them"},
      {{"celeba", "celebahq"},
       "download img_align_celeba.zip from mmlab.ie.cuhk.edu.hk/projects/CelebA.html, unpack it, "
       "and give its folder with {size} 64, for instance"},
      {{"ffhq"}, "download it from github.com/NVlabs/ffhq-dataset and give its folder"},
      {{"afhq", "afhqv2"},
       "download it from github.com/clovaai/stargan-v2 and give its train folder"},
      {{"coco", "mscoco", "coco2014", "coco2017"},
       "download train2017.zip from cocodataset.org, unpack it, and give its folder with {size} "
       "64, "
       "for instance"},
      {{"lsun"},
       "download a category from www.yf.io/p/lsun, export its pictures, and give their folder"},
      {{"svhn"},
       "download train_32x32.mat and test_32x32.mat from ufldl.stanford.edu/housenumbers and give "
       "their folder"},
      {{"textures", "dtd"},
       "download dtd-r1.0.1.tar.gz from www.robots.ox.ac.uk/~vgg/data/dtd and give it, or the "
       "folder dtd that it unpacks to"},
      {{"stl10"},
       "download it from cs.stanford.edu/~acoates/stl10 and give a folder of its pictures"},
      {{"flowers", "flowers102", "oxfordflowers"},
       "download it from www.robots.ox.ac.uk/~vgg/data/flowers/102 and give its folder with "
       "{size} 64, for instance"},
  };
  return sets;
}

// The last part of a path, in small letters and digits alone.
std::string simple_name(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  name.remove_prefix(name.find_last_of('/') + 1);  // npos + 1 is 0
  std::string simple;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0) simple.push_back(static_cast<char>(std::tolower(byte)));
  }
  return simple;
}

}  // namespace

std::string how_to_get(std::string_view name) {
  const std::string simple = simple_name(name);
  for (const PublicSet& set : public_sets()) {
    for (const std::string_view known : set.names) {
      if (known == simple) return std::string(set.advice);
    }
  }
  return "";
}

}  // namespace eqm
