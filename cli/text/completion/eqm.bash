# Completion of eqm for bash: eqm completion bash
_eqm() {
  local word=${COMP_WORDS[COMP_CWORD]} before= verb= values= files=0 i
  ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]] && ((COMP_CWORD > 1)); then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { verb=${COMP_WORDS[i]}; break; }
  done
  case $verb in
    '') values='@VERBS@ help --help --version --quiet --verbose' ;;
    help) values='@VERBS@' ;;
@CASES@
  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$values" -- "$word"
    ((files)) && [[ $word != -* ]] && compgen -f -- "$word"
  )
  ((files)) && compopt -o filenames 2> /dev/null
  return 0
}
complete -F _eqm eqm
