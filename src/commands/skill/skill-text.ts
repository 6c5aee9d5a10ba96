import { exitCodes } from '../../base/errors.ts';
import { exitCodeFacts } from '../../cli/help/topics.ts';
import { commandsOf, type Nouns } from '../schema/command.ts';
import { commandEffect } from '../schema/command-facts.ts';
import template from './skill.md' with { type: 'text' };

/** A line for each of the commands that agents need most. All of them work in the sandbox. */
const lines = [
  'whoami --json=name,email,timezone',
  'events list --upcoming --status active --limit 10 --json=uri,name,start_time',
  'events get next --with invitees --json=name,start_time,location,_sched.invitees.*.email',
  'event-types list --active --json=uri,name,duration',
  'event-types slots "Intro call" --since tomorrow --json=start_time',
  'event-types why "Intro call" "monday 14:00" --tz Europe/Paris --json=verdict,reasons',
  'events stats --since -30d --json=name,booked,canceled',
  'invitees create --event-type "Intro call" --first-free --since tomorrow --email ada@example.com --name "Ada Byron" --timezone Europe/Paris --if-absent --dry-run',
  'events move next --to 2030-12-02T11:00:00+01:00 --dry-run',
  'events cancel next --reason "The host is ill" --dry-run',
];

const frontMatter = `---
name: sched
description: Read and change a scheduling account with the sched command line. Use it to list meetings, find free times, and book, move or cancel meetings.
---

`;

/** The line below a comment that says what its command does. */
const describeLine = async (line: string, registry: Nouns): Promise<string> => {
  const [noun = '', verb = ''] = line.split(' ');
  const [, command] = (await commandsOf(noun, registry)).find(([name]) => [noun, `${noun} ${verb}`].includes(name))!;
  const change = ['read', 'local'].includes(commandEffect(command)) ? '' : ' (changes data)';
  return `# ${command.summary}${change}\nsched ${line}`;
};

/** The text for agents: as SKILL.md, or as a section of AGENTS.md. */
export const skillText = async (registry: Nouns, form: 'skill' | 'agents'): Promise<string> => {
  const commands = await Promise.all(lines.map((line) => describeLine(line, registry)));
  const codes = exitCodeFacts.map(({ code, name, meaning }) => `- ${code} ${name}: ${meaning}`);
  const text = template
    .replace('{commands}', () => commands.join('\n'))
    .replace('{exit codes}', () => codes.join('\n'))
    .replace('{unknown}', String(exitCodes['outcome-unknown']));
  // A heading in AGENTS.md is below the title of that file.
  return form === 'skill' ? `${frontMatter}${text}` : text.replaceAll(/^(#+) (?=[A-Z].*\n\n)/gm, '#$1 ');
};
