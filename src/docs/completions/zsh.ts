import { singleQuoted } from '../../shell-quote.ts';
import {
  askForProfiles,
  flagsWithValue,
  helpCommand,
  spellings,
  type ValueRule,
  valueRules,
  type Word,
  type Words,
} from '../words.ts';

/** `word:description` lines, as _describe takes them; a word itself holds no colon. */
const described = (words: readonly Word[], indent: string): string =>
  words.map(({ word, description }) => `${indent}${singleQuoted(`${word}:${description}`)}`).join('\n');

const listOf = (name: string, words: readonly Word[], indent: string): string =>
  words.length === 0 ? `${indent}${name}=()` : `${indent}${name}=(\n${described(words, `${indent}  `)}\n${indent})`;

const nounCases = ({ nouns }: Words): string[] =>
  nouns.flatMap((noun) => [
    `    ${spellings(noun).join('|')})`,
    `      noun=${noun.word}`,
    noun.verbs.length === 0 ? `      command=${noun.word}` : listOf('verbs', noun.verbs, '      '),
    '      ;;',
  ]);

const commandCases = ({ commands }: Words): string[] =>
  commands.flatMap(({ path, flags, fields }) => [
    `    '${path}')`,
    `      takers='${flagsWithValue(flags).join(' ')}'`,
    `      fields=(${fields.join(' ')})`,
    listOf('flags', flags, '      '),
    '      ;;',
  ]);

const valueCase = ({ commands, names, value }: ValueRule): string => {
  const patterns = commands.flatMap((command) =>
    names.map((name) => (command === '*' ? `*' ${name}'` : `'${command} ${name}'`)),
  );
  const action = value.kind === 'words' ? `values=(${value.words.join(' ')})` : `kind=${value.kind}`;
  return `    ${patterns.join('|')}) ${action} ;;`;
};

export const zshScript = (words: Words): string => `#compdef sched
# zsh completion for sched, made by 'npm run generate'.
# All words stand in this file, but for the names of profiles: only for those is sched itself started. Completing asks
# no server and expands nothing of the line.

# The functions below set local variables of _sched.

_sched_noun() {
  case $1 in
${nounCases(words).join('\n')}
    *) return 1 ;;
  esac
}

_sched_command() {
  case $1 in
${commandCases(words).join('\n')}
    *) return 1 ;;
  esac
}

_sched_value() {
  case $1 in
${valueRules(words).map(valueCase).join('\n')}
    *) return 1 ;;
  esac
}

_sched_complete_value() {
  local kind='' chosen word
  local -a values rest
  _sched_value "$1" || return 1
  case $kind in
    files)
      # _files would evaluate a substitution in the path.
      [[ $PREFIX$SUFFIX == *[\\$\\\`]* ]] || _files
      ;;
    fields)
      chosen=",\${PREFIX%,*},"
      for word in $fields; do
        [[ $PREFIX == *,* && $chosen == *",$word,"* ]] || rest+=("$word")
      done
      compset -P '*,'
      compadd -qS , -a rest
      ;;
    profiles)
      values=(\${(f)"$(command ${askForProfiles} 2>/dev/null </dev/null)"})
      compadd -a values
      ;;
    *) compadd -a values ;;
  esac
  return 0
}

# A command's own flag stands for the shared one of the same name.
_sched_offer_flags() {
  for word in $shared; do
    [[ -n \${(M)flags:#\${word%%:*}:*} ]] || flags+=("$word")
  done
  _describe -o -t flags flag flags
}

_sched() {
  local word noun='' command='' takers='' taker=''
  local -a nouns verbs flags shared fields
  local -i index position=1
  local shared_takers='${flagsWithValue(words.shared).join(' ')}'
${listOf('nouns', [...words.nouns, helpCommand], '  ')}
${listOf('shared', words.shared, '  ')}

  for ((index = 2; index < CURRENT; index++)); do
    word=\${(Q)words[index]}
    if [[ -n $taker ]]; then
      taker=''
      continue
    fi
    case $word in
      --) return 1 ;;
      -?*) [[ " $takers $shared_takers " == *" $word "* ]] && taker=$word ;;
      *)
        if [[ -n $command ]]; then
          position+=1
        elif [[ -n $noun ]]; then
          command="$noun $word"
          _sched_command "$command" || return 1
        elif [[ $word != ${helpCommand.word} ]]; then
          _sched_noun "$word" || return 1
          [[ -n $command ]] && _sched_command "$command"
        fi
        ;;
    esac
  done

  if [[ -n $taker ]]; then
    _sched_complete_value "$command $taker"
    return
  fi
  case $PREFIX in
    --*=*)
      taker=\${PREFIX%%=*}
      compset -P 1 '*='
      _sched_complete_value "$command $taker"
      ;;
    -*)
      if [[ -z $noun ]]; then
${listOf('flags', words.root, '        ')}
      fi
      _sched_offer_flags
      ;;
    *)
      if [[ -z $noun ]]; then
        _describe -t nouns noun nouns
      elif [[ -z $command ]]; then
        _describe -t verbs verb verbs
      else
        _sched_complete_value "$command $position" || _sched_offer_flags
      fi
      ;;
  esac
}

if [[ $funcstack[1] == _sched ]]; then
  _sched "$@"
else
  # zsh has a builtin of this name, which would be found before the program; 'enable sched' brings it back.
  disable sched 2>/dev/null
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _sched sched
fi
`;
