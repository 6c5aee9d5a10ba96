import { askForProfiles, flagsWithValue, helpCommand, spellings, valueRules, type Word, type Words } from '../words.ts';

/** Windows PowerShell reads a file without a mark as ANSI, and takes typographic quotes for quotes. */
const ascii = (text: string): string =>
  text
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„]/g, '"')
    .replaceAll('…', '...')
    .replace(/[–—]/g, '-')
    .replace(/[^\x20-\x7e]/g, '?');

const quoted = (text: string): string => `'${ascii(text).replaceAll("'", "''")}'`;

const list = (items: readonly string[]): string => `@(${items.map((item) => quoted(item)).join(', ')})`;

const table = (words: readonly Word[], indent: string): string =>
  words.length === 0
    ? '[ordered]@{}'
    : `[ordered]@{\n${words.map(({ word, description }) => `${indent}    ${quoted(word)} = ${quoted(description)}`).join('\n')}\n${indent}}`;

const nounEntries = ({ nouns }: Words): string[] =>
  nouns.flatMap((noun) => spellings(noun).map((spelling) => `        ${quoted(spelling)} = ${quoted(noun.word)}`));

const verbEntries = ({ nouns }: Words): string[] =>
  nouns
    .filter(({ verbs }) => verbs.length > 0)
    .map(({ word, verbs }) => `        ${quoted(word)} = ${table(verbs, '        ')}`);

const commandEntries = ({ commands }: Words): string[] =>
  commands.map(
    ({ path, flags, fields }) => `        ${quoted(path)} = @{
            takers = ${list(flagsWithValue(flags))}
            fields = ${list(fields)}
            flags = ${table(flags, '            ')}
        }`,
  );

/** A rule of every command is found under the flag's name alone. */
const valueEntries = (words: Words): string[] =>
  valueRules(words).flatMap(({ commands, names, value }) =>
    commands.flatMap((command) =>
      names.map((name) => {
        const key = command === '*' ? name : `${command} ${name}`;
        return `        ${quoted(key)} = ${list(value.kind === 'words' ? ['words', ...value.words] : [value.kind])}`;
      }),
    ),
  );

const [program, ...asking] = askForProfiles.split(' ');

export const powershellScript = (
  words: Words,
): string => `# PowerShell completion for sched, made by 'npm run generate'.
# All words stand in this file, but for the names of profiles: only for those is sched itself started. Completing asks
# no server and expands nothing of the line.

Register-ArgumentCompleter -Native -CommandName sched -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $nouns = ${table([...words.nouns, helpCommand], '    ')}
    $nounOf = @{
${nounEntries(words).join('\n')}
    }
    $verbsOf = @{
${verbEntries(words).join('\n')}
    }
    $rootFlags = ${table(words.root, '    ')}
    $sharedFlags = ${table(words.shared, '    ')}
    $sharedTakers = ${list(flagsWithValue(words.shared))}
    $commands = @{
${commandEntries(words).join('\n')}
    }
    $values = @{
${valueEntries(words).join('\n')}
    }

    $candidate = {
        param($text, $description)
        if (-not $description) { $description = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text.Trim(), 'ParameterValue', $description)
    }
    $offer = {
        param($table)
        foreach ($entry in $table.GetEnumerator()) {
            if ($entry.Key.StartsWith($typed, [StringComparison]::Ordinal)) { & $candidate $entry.Key $entry.Value }
        }
    }

    $noun = ''
    $command = ''
    $taker = ''
    $position = 1
    $typed = "$wordToComplete"
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($typed -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
        ForEach-Object { $_.Extent.Text })
    foreach ($word in $before) {
        if ($taker) {
            $taker = ''
        } elseif ($word -ceq '--') {
            return
        } elseif ($word.Length -gt 1 -and $word.StartsWith('-')) {
            if ($sharedTakers -ccontains $word -or ($command -and $commands[$command].takers -ccontains $word)) { $taker = $word }
        } elseif ($command) {
            $position++
        } elseif ($noun) {
            $command = "$noun $word"
            if (-not $commands.ContainsKey($command)) { return }
        } elseif ($word -cne '${helpCommand.word}') {
            if (-not $nounOf.ContainsKey($word)) { return }
            $noun = $nounOf[$word]
            if (-not $verbsOf.ContainsKey($noun)) { $command = $noun }
        }
    }

    $lead = ''
    $name = "$position"
    if ($taker) {
        $name = $taker
    } elseif ($typed.StartsWith('--') -and $typed.Contains('=')) {
        $name, $typed = $typed.Split([char[]]'=', 2)
        $taker = $name
        $lead = "$name="
    }
    $value = $null
    if ($values.ContainsKey("$command $name")) { $value = $values["$command $name"] }
    elseif ($values.ContainsKey($name)) { $value = $values[$name] }

    if ($value -and ($taker -or ($command -and -not $typed.StartsWith('-')))) {
        switch ($value[0]) {
            'words' {
                foreach ($word in ($value | Select-Object -Skip 1)) {
                    if ($word.StartsWith($typed, [StringComparison]::Ordinal)) { & $candidate "$lead$word" $word }
                }
            }
            'fields' {
                $comma = $typed.LastIndexOf(',') + 1
                $chosen = $typed.Substring(0, $comma)
                $typed = $typed.Substring($comma)
                if (-not $command) { return }
                foreach ($word in $commands[$command].fields) {
                    if ($word.StartsWith($typed, [StringComparison]::Ordinal) -and $chosen.Split(',') -cnotcontains $word) {
                        & $candidate "$lead$chosen$word" $word
                    }
                }
            }
            'profiles' {
                $program = Get-Command -Name ${program} -CommandType Application, ExternalScript -ErrorAction Ignore |
                    Select-Object -First 1
                if (-not $program) { return }
                foreach ($word in (& $program ${asking.join(' ')} 2>$null)) {
                    if (-not $word) { continue }
                    $text = "$word"
                    if ($text -cnotmatch '^[A-Za-z0-9][A-Za-z0-9._-]*$') {
                        $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'"
                    }
                    if ("$word".StartsWith($typed, [StringComparison]::Ordinal)) { & $candidate "$lead$text" "$word" }
                }
            }
            'files' {
                if ($typed -match '[$\`]') { return }
                foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed)) {
                    [System.Management.Automation.CompletionResult]::new(
                        "$lead$($file.CompletionText)", $file.ListItemText, $file.ResultType, $file.ToolTip)
                }
            }
        }
        return
    }
    if ($taker) { return }
    if ($typed.StartsWith('-') -or $command) {
        if ($command) { & $offer $commands[$command].flags } elseif (-not $noun) { & $offer $rootFlags }
        foreach ($entry in $sharedFlags.GetEnumerator()) {
            if ($command -and $commands[$command].flags.Contains($entry.Key)) { continue }
            & $offer @{ ($entry.Key) = $entry.Value }
        }
    } elseif ($noun) {
        & $offer $verbsOf[$noun]
    } else {
        & $offer $nouns
    }
}
`;
