# Completion of pjrt-conformance in bash. To load it: source <(pjrt-conformance completion bash)

_pjrt_conformance() {
  local line=${COMP_LINE:0:COMP_POINT} words current prefix= cut= mode= value
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=${words[${#words[@]} - 1]}
  [[ $current == --*=* ]] && prefix=${current%%=*}=
  # Bash replaces only what follows the last of these characters.
  [[ $COMP_WORDBREAKS == *:* ]] && cut=${current%"${current##*:}"}
  [[ $COMP_WORDBREAKS == *=* && -z $cut ]] && cut=$prefix
  COMPREPLY=()
  while IFS=$'\t' read -r value _; do
    if [[ -z $mode ]]; then
      mode=$value
    else
      value=$prefix$value
      COMPREPLY+=("${value#"$cut"}")
    fi
  done < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2> /dev/null)
  if [[ $mode == files ]]; then
    compopt -o filenames 2> /dev/null
    while IFS= read -r value; do
      value=$prefix$value
      COMPREPLY+=("${value#"$cut"}")
    done < <(compgen -f -- "${current#"$prefix"}")
  fi
}

complete -F _pjrt_conformance pjrt-conformance
