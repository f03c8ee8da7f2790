// The slash commands of a chat with what they do, by groups: for the help, and for the completions of Tab.

/** What may follow a command, where Tab completes it. */
export type ArgumentKind = 'node' | 'speaker' | 'session' | 'model';

interface HelpRow {
  /** The command, or another way to write in a chat. */
  readonly name: string;
  /** What is written after the name. */
  readonly args?: string;
  readonly does: string;
  readonly completes?: ArgumentKind;
}

interface HelpGroup {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

/** The first row of a name says what it does alone. */
const groups: readonly HelpGroup[] = [
  {
    title: 'What runs',
    rows: [
      { name: '/stop', does: 'stop your turns; if you have none, all that you may stop' },
      { name: '/stop', args: 'ID', does: 'stop one turn or call, by its name or a part of its id', completes: 'node' },
      { name: '/stop', args: 'all', does: 'stop everything in the session that you may stop' },
      { name: '/stop', args: 'tools', does: 'stop what your turns have called; they go on' },
      { name: '/stop', args: '… force', does: 'do not wait: running programs are killed at once' },
      { name: '/steer', args: 'TEXT', does: 'say it to your turn that runs, at its next model call' },
      { name: '/resume', args: '[TEXT]', does: 'take your last interrupted turn up again' },
      { name: '/resume', args: 'ID [TEXT]', does: 'take another turn up again', completes: 'node' },
      { name: '/tree', does: 'show the running turns and calls as a tree' },
    ],
  },
  {
    title: 'Sessions and model',
    rows: [
      { name: '/sessions', does: 'list the sessions, the newest first, with their state' },
      { name: '/sessions', args: 'WORDS', does: 'list those in which this was said' },
      {
        name: '/sessions',
        args: 'NAME',
        does: 'go to one, with its history; or /sessions NUMBER',
        completes: 'session',
      },
      { name: '/rename', args: '[TITLE]', does: 'give the session a title; without one: its first words' },
      { name: '/older', does: 'print turns before those that were printed first' },
      { name: '/new', args: '[NAME]', does: 'go to a new session; what runs here goes on' },
      { name: '/fork', does: 'go on from the last turn in a session of your own' },
      { name: '/fork', args: 'ID', does: 'go on from another turn that has ended' },
      { name: '/clear', does: 'empty the screen and go to a new session' },
      { name: '/model', does: 'show the model, and which may be chosen' },
      { name: '/model', args: 'NAME', does: 'choose one for what you say from now on', completes: 'model' },
      { name: '/usage', does: 'show tokens, cost and calls: the session, your last turn' },
    ],
  },
  {
    title: 'Questions',
    rows: [
      { name: '/approve', args: '[ID]', does: 'allow what a call asks for', completes: 'node' },
      { name: '/deny', args: '[ID]', does: 'do not allow it', completes: 'node' },
      { name: '/show', args: '[ID]', does: 'show the whole text of an approval that was cut', completes: 'node' },
      { name: '/answer', args: '[ID] TEXT', does: 'answer a question', completes: 'node' },
    ],
  },
  {
    title: 'People',
    rows: [
      { name: '/who', does: 'show who you are, who is here and who is a member' },
      {
        name: '/delegate',
        args: 'NAME',
        does: 'let another speaker stop what is yours; NAME ID: one call',
        completes: 'speaker',
      },
      { name: '/invite', args: 'NAME', does: 'make a speaker a member of the session', completes: 'speaker' },
      {
        name: '/invite --link',
        does: 'make a link that lets one person in; --list, --revoke ID',
      },
      { name: '/remove', args: 'NAME', does: 'take a membership back', completes: 'speaker' },
      { name: '/timeout', args: 'TOOL S', does: 'stop its next calls after S seconds; off: as configured' },
    ],
  },
  {
    title: 'What is said',
    rows: [
      { name: '@FILE', does: 'attach a picture, or put in a text file; @@ is a plain @' },
      { name: '@"MY FILE"', does: 'the same for a path with spaces' },
      { name: '/offers', args: '[SERVER]', does: 'list what MCP servers offer to name' },
      { name: '@SERVER:RESOURCE', does: 'put in a resource that a server offers' },
      { name: '/SERVER:PROMPT', does: 'say a prompt that a server offers; NAME=VALUE after it' },
      { name: '//text', does: 'send a text that starts with a slash' },
    ],
  },
  {
    title: 'Chat',
    rows: [
      { name: '/help', does: 'show these commands' },
      { name: '/exit', args: '[stop]', does: 'leave the session; with stop, stop what is yours first' },
    ],
  },
];

const rows = groups.flatMap((group) => group.rows);
const usageOf = ({ name, args }: HelpRow): string => (args === undefined ? name : `${name} ${args}`);
const usageWidth = Math.max(...rows.map((row) => usageOf(row).length));

/** The lines of the help. */
export const slashHelp: readonly string[] = groups.flatMap(({ title, rows }) => [
  title,
  ...rows.map((row) => `  ${usageOf(row).padEnd(usageWidth)}  ${row.does}`),
]);

/** A command, as Tab completes it. */
export interface CompletedCommand {
  readonly does: string;
  /** What is completed after it; undefined: paths alone. */
  readonly completes: ArgumentKind | undefined;
}

const isCommand = ({ name }: HelpRow): boolean => /^\/[a-z]+$/.test(name);

/** The commands by their names. */
export const slashCommands: ReadonlyMap<string, CompletedCommand> = new Map(
  [...Map.groupBy(rows.filter(isCommand), ({ name }) => name)].map(([name, same]) => [
    name,
    { does: same[0]?.does ?? '', completes: same.find(({ completes }) => completes)?.completes },
  ]),
);
