#compdef vitrine
# Completion of vitrine in zsh: source <(vitrine completion zsh), or as _vitrine in a folder of $fpath
_vitrine() {
  local line word
  local -a described
  for line in "${(@f)$("${words[1]/#\~/$HOME}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *)
        word=${line%%$'\t'*}
        described+=("${word//:/\\:}:${line#*$'\t'}")
        ;;
    esac
  done
  if (( $#described )); then _describe -o vitrine described; fi
}
if [[ $funcstack[1] == _vitrine ]]; then
  _vitrine "$@"
else
  # without a set-up of its own, as on macOS, zsh completes nothing
  whence compdef >/dev/null || { autoload -Uz compinit && compinit }
  compdef _vitrine vitrine
fi
