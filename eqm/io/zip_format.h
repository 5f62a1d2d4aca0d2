// Signatures and sizes of the zip format's records, as its specification (APPNOTE 6.3) numbers
// them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eqm::zip {

inline constexpr uint32_t kLocalHeader = 0x04034b50;     // "PK\3\4"
inline constexpr uint32_t kDirectoryEntry = 0x02014b50;  // "PK\1\2"
inline constexpr uint32_t kDirectoryEnd = 0x06054b50;    // "PK\5\6"
inline constexpr uint32_t kDirectoryEnd64 = 0x06064b50;  // "PK\6\6"
inline constexpr uint32_t kEndLocator64 = 0x07064b50;    // "PK\6\7"
inline constexpr size_t kLocalHeaderSize = 30;
inline constexpr size_t kDirectoryEntrySize = 46;
inline constexpr size_t kDirectoryEndSize = 22;
inline constexpr size_t kDirectoryEnd64Size = 56;
inline constexpr size_t kEndLocator64Size = 20;
inline constexpr uint64_t kLongestComment = 0xffff;

// A field that holds this says: see the 64-bit one.
inline constexpr uint64_t kSaturated16 = 0xffff;
inline constexpr uint64_t kSaturated32 = 0xffffffff;
inline constexpr uint16_t kExtra64 = 0x0001;  // the extra field with the 64-bit ones

inline constexpr uint64_t kEncrypted = 0x1;  // flag bit 0

}  // namespace eqm::zip
