# PowerShell completion for sched, which is also called scheds. It asks the sched in PATH, and evaluates nothing on the line.

Register-ArgumentCompleter -Native -CommandName sched, scheds -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $program = Get-Command -Name sched -CommandType Application, ExternalScript -ErrorAction Ignore |
        Select-Object -First 1
    if (-not $program) { return }
    $typed = "$wordToComplete" -replace '^[''"]', ''
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or (-not $wordToComplete -and $_.Extent.EndOffset -le $cursorPosition) } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    # Older versions drop an empty argument, unless it is written as two quotes.
    $last = if ($typed -or $PSNativeCommandArgumentPassing -in 'Standard', 'Windows') { $typed } else { '""' }
    $answer = @(& $program __complete @before $last 2>$null)

    if ($answer[-1] -eq ':files') {
        if ($typed -match '[$`]') { return }
        $lead = if ($typed -match '^--[^=]+=') { $Matches[0] } else { '' }
        foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed.Substring($lead.Length))) {
            [System.Management.Automation.CompletionResult]::new(
                "$lead$($file.CompletionText)", $file.ListItemText, $file.ResultType, $file.ToolTip)
        }
        return
    }
    foreach ($line in ($answer | Select-Object -SkipLast 1)) {
        $word, $description = $line -split "`t", 2
        if (-not $description) { $description = $word }
        $text = $word
        if ($word -cnotmatch '^[A-Za-z0-9-][A-Za-z0-9@%+.,:/=_-]*$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $description)
    }
}
