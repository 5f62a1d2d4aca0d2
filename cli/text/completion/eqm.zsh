#compdef eqm
# Completion of eqm for zsh: eqm completion zsh
_eqm_names_or_files() {
  compadd -- "$@"
  _files
}
_eqm() {
  local curcontext="$curcontext" state line
  local -a verbs
  verbs=(
@VERBS@
  )
  _arguments -C '--help[shows the options]' '--version[shows the version]' \
    '--quiet[no progress, warnings only]' '--verbose[says more]' \
    '1: :->verb' '*:: :->options' && return
  case $state in
    verb) _describe -t verbs verb verbs ;;
    options)
      case $words[1] in
@CASES@
      esac ;;
  esac
}
if [[ $funcstack[1] == _eqm ]]; then
  _eqm "$@"
else
  compdef _eqm eqm
fi
