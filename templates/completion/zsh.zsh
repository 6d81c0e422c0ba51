#compdef pjrt-conformance
# Completion of pjrt-conformance in zsh. To load it: source <(pjrt-conformance completion zsh), after compinit

_pjrt_conformance() {
  local -a lines values
  local line
  lines=("${(@f)$("${(Q)words[1]/#\~/$HOME}" complete -- "${(@Q)words[2,CURRENT]}" 2> /dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  (( $#values )) && _describe -t values 'pjrt-conformance' values
  [[ $lines[1] == files ]] && _files
  return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _pjrt_conformance "$@"
else
  compdef _pjrt_conformance pjrt-conformance
fi
