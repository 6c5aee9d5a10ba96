# bash completion for sched, for bash 3.2 and newer. It asks the sched in PATH, and evaluates nothing on the line.

_sched() {
  local piece='' word='' lead='' quote='' end=' ' answer directive
  local -a line
  local -i index
  line=() COMPREPLY=()
  # '--output=json' and '15:00' arrive in pieces, because bash also splits words at = and :. It replaces the last piece.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    piece=${COMP_WORDS[index]-}
    if ((index > 1)) && [[ $piece == [=:]* || ${COMP_WORDS[index - 1]} == [=:]* ]]; then
      lead=$word
    else
      ((index == 1)) || line+=("${word//[\\\'\"]/}")
      lead=''
    fi
    word=$lead$piece
  done
  case $piece in
    [=:]*) lead=$word piece='' ;;
    [\'\"]*) quote=${piece:0:1} piece=${piece:1} end='' ;;
    *) piece=${piece//\\/} ;;
  esac

  answer=$(command sched __complete ${line[@]+"${line[@]}"} "$lead$piece" 2>/dev/null </dev/null) || return 0
  directive=${answer##*$'\n'}
  if [[ $directive == :files ]]; then
    # bash 4 and newer complete files themselves, but not if that would expand something.
    [[ $piece == *[\$\`]* ]] || compopt -o default +o nospace 2>/dev/null
    return 0
  fi
  [[ $directive == :list ]] && end=''
  while IFS= read -r word; do
    [[ $word == *$'\t'* ]] || continue
    word=${word%%$'\t'*}
    word=${word:${#lead}}
    case $quote$directive in
      :words) printf -v word %q "$word" ;;
      \"*) [[ $word == *[\"\\\$\`!]* ]] && continue ;;
      \'*) [[ $word == *\'* ]] && continue ;;
    esac
    COMPREPLY+=("$word$end")
  done <<<"$answer"
}

complete -o nospace -F _sched sched
