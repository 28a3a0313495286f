/**
 * What a person loads into a shell. The scripts know nothing of the commands: they hand the line to the hidden `__complete` and show what it answers
 * (`completion-text.ts`), so that they stay true with the next release.
 */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

// Where bash takes colons for the ends of words, it replaces only what follows the last of them.
const bash = `# Completion of quartermaster for bash 4.4 or later. Load it with: source <(quartermaster completion bash)
_quartermaster() {
  local line=\${COMP_LINE:0:COMP_POINT} answer=() directive each value
  local current=\${line##*[[:space:]]}
  local colons=
  [[ $COMP_WORDBREAKS == *:* ]] && colons=\${current%"\${current##*:}"}
  COMPREPLY=()
  mapfile -t answer < <("\${COMP_WORDS[0]}" __complete --line "$line" </dev/null 2>/dev/null)
  ((\${#answer[@]} > 0)) || return 0
  directive=\${answer[-1]}
  unset 'answer[-1]'
  for each in "\${answer[@]}"; do
    value=\${each%%$'\\t'*}
    printf -v value '%q' "\${value#"$colons"}"
    COMPREPLY+=("$value")
  done
  [[ $current == --*=* ]] && current=\${current#*=}
  case $directive in
    :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
}
complete -F _quartermaster quartermaster
`;

const zsh = `#compdef quartermaster
# Completion of quartermaster for zsh. Load it with: source <(quartermaster completion zsh)
# or save it as _quartermaster in a folder of $fpath.
_quartermaster() {
  local -a answer candidates
  local directive each value note
  answer=("\${(@f)$("\${words[1]}" __complete --line "\${(j: :)words[1,CURRENT-1]} $PREFIX" </dev/null 2>/dev/null)}")
  directive=\${answer[-1]}
  for each in "\${(@)answer[1,-2]}"; do
    value=\${each%%$'\\t'*}
    note=
    [[ $each == *$'\\t'* ]] && note=\${each#*$'\\t'}
    candidates+=("\${value//:/\\\\:}:$note")
  done
  [[ $PREFIX == --*=* ]] && compset -P '*='
  case $directive in
    :files) _files ;;
    :folders) _files -/ ;;
    *) (($#candidates)) && _describe -t values quartermaster candidates ;;
  esac
}
if [[ $funcstack[1] == _quartermaster ]]; then
  _quartermaster "$@"
else
  compdef _quartermaster quartermaster
fi
`;

const fish = `# Completion of quartermaster for fish. Load it with: quartermaster completion fish | source
function __quartermaster_complete
    set -l tokens (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l line (commandline --cut-at-cursor --current-process | string collect)
    set -l flag (string match --regex -- '^--[^=]+=' "$current")
    for each in ($tokens[1] __complete --line "$line" </dev/null 2>/dev/null)
        switch $each
            case ':files'
                __fish_complete_path (string replace -- "$flag" '' "$current")
            case ':folders'
                __fish_complete_directories (string replace -- "$flag" '' "$current")
            case ':none'
            case '*'
                printf '%s\\n' "$flag$each"
        end
    end
end
complete --command quartermaster --no-files --arguments '(__quartermaster_complete)'
`;

export const shellScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
