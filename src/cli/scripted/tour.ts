// The conversation that the scripted endpoint plays without a script: it looks only at the request, as a model does.
import {
  type Answer,
  lastExchange,
  roundsIn,
  type ScriptedCall,
  textOf,
  type WireMessage,
  type WireRequest,
} from './reply.ts';

/** About 35 tokens a second, as a hosted model has it. */
export const tourPace = { firstMs: 250, chunksPerSecond: 35, chunkChars: 4 } as const;

/**
 * Files that the conversation speaks of, by the folders in which its tools may work, the first one first. Commands that run in the same
 * folder wait for each other, so what is to run at once has a folder each.
 */
export const tourFiles = {
  project: {
    'notes.md': [
      '# Notes',
      '',
      '- A turn is one exchange: from the words of a speaker until the reply is settled.',
      '- A CANCEL goes down the tree; an outcome comes up.',
      '- What completed before the cancel stays.',
      '',
    ].join('\n'),
    'todo.txt': 'compile the modules\nread the notes\nwrite the summary\n',
  },
  tests: { 'cases.txt': 'a stop in the middle of a step\n' },
  pages: { 'index.txt': 'one page for each module\n' },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

const steps = 60;
/** A step a second, for a minute. */
const slowly = (step: string, end: string) =>
  `i=1; while [ $i -le ${steps} ]; do echo "step $i of ${steps}: ${step} $i"; i=$((i+1)); sleep 1; done; echo "${end}"`;
const buildCommand = slowly('compiling module', 'build finished');
const pagesCommand = slowly('writing the page of module', 'pages finished');
const testCode =
  'let i = 0; const timer = setInterval(() => { i += 1; console.log("case " + i + " passed"); ' +
  `if (i === ${steps}) clearInterval(timer); }, 1000);`;
const researchTask = 'Read notes.md, look at what else lies in the folder, and report what matters for the build.';

/** The answer to a request; its first text of a turn says that no model stands behind it. */
export function tour(request: WireRequest): Answer {
  const { user, since } = lastExchange(request.messages);
  const rounds = roundsIn(since);
  const interruption = interruptionBefore(request.messages);
  const scene = scenes.find(({ fits }) => fits({ user, interruption })) ?? elseScene;
  const { text, calls = [] } = scene.play({ user, since, rounds, interruption });
  return {
    text: rounds === 0 ? `(scripted model) ${text}` : text,
    calls: calls.flatMap((call) => offered(call, request)),
    pace: tourPace,
  };
}

/** Only what the request declares is called, and only with arguments that it declares. */
function offered(
  call: { name: string; arguments: Readonly<Record<string, unknown>> },
  request: WireRequest,
): ScriptedCall[] {
  const tool = request.tools?.find((each) => each.function.name === call.name);
  if (!tool) return [];
  const properties = tool.function.parameters?.properties ?? {};
  return [
    {
      name: call.name,
      arguments: Object.fromEntries(Object.entries(call.arguments).filter(([key]) => key in properties)),
    },
  ];
}

interface Moment {
  readonly user: string;
  readonly since: readonly WireMessage[];
  readonly rounds: number;
  readonly interruption: Interruption | null;
}

interface Scene {
  fits(moment: Pick<Moment, 'user' | 'interruption'>): boolean;
  play(moment: Moment): {
    readonly text: string;
    readonly calls?: readonly { name: string; arguments: Readonly<Record<string, unknown>> }[];
  };
}

/** The sub-agent's turn: its task is the last thing that was said to it. */
const researcher: Scene = {
  fits: ({ user }) => user.includes(researchTask),
  play({ since, rounds }) {
    if (rounds === 0) {
      return {
        text: 'I read the notes and look at the rest of the folder.',
        calls: [
          { name: 'read_file', arguments: { path: 'notes.md' } },
          { name: 'list_files', arguments: { path: '.' } },
        ],
      };
    }
    return {
      text:
        `My report. ${resultsIn(since)} The notes name the three words that everything else is built from: turn, cancel, ` +
        'outcome. For the build they matter little: it compiles its modules one after the other and reads no notes. What does ' +
        'matter is the order in the list of things to do: the modules come first, then the notes, and the summary stands at ' +
        'the end. I would leave that order as it is. I have changed nothing, and nothing of what I read asks for a change. If ' +
        'the build should stop half way, the modules that are done need not be compiled again.',
    };
  },
};

const build: Scene = {
  fits: ({ user }) => /\bresearch\b|\brun\b.*\bbuild\b/i.test(user),
  play({ since, rounds }) {
    if (rounds === 0) {
      return {
        text:
          'I start what I have tools for, all at once: the build, the tests and the pages, which take a minute each, and I hand the ' +
          'reading of the notes to an agent. You can stop all of it at any time, or one of them.',
        calls: [
          { name: 'shell', arguments: { command: buildCommand } },
          { name: 'run_code', arguments: { cwd: '../tests', language: 'node', code: testCode } },
          { name: 'shell', arguments: { cwd: '../pages', command: pagesCommand } },
          { name: 'spawn_agent', arguments: { task: researchTask } },
        ],
      };
    }
    return {
      text:
        `All of that is settled now. ${resultsIn(since)} So much for what the tools said; I add nothing to it. If something of ` +
        'it was stopped, I leave it as it is until you ask for it again.',
    };
  },
};

const afterAnInterruption: Scene = {
  fits: ({ interruption }) => interruption !== null,
  play: ({ interruption }) => ({ text: interruption ? undone(interruption) : '' }),
};

const greeting: Scene = {
  fits: ({ user }) => /\b(hello|hi|hey|good (morning|evening|day))\b/i.test(user),
  play: () => ({
    text:
      'Hello! I am a script that plays a language model, so that you can see how a turn runs and how it stops. Say "research ' +
      'this and run the build", and I start a few things at once that are worth stopping. Say anything else, and I talk for a ' +
      'while.',
  }),
};

const elseScene: Scene = {
  fits: () => true,
  play: ({ user }) => ({
    text:
      `You said "${shortened(user, 120)}". A model would think about that; I am a script and merely talk, at the pace of a ` +
      'model, so that there is something to stop. While I do, my words go from the endpoint to the runtime chunk by chunk, and ' +
      'from there to everybody who has joined the session. If you cancel now, the request behind this text is closed, the text ' +
      'stays on the screen as far as it came, marked as cut off, and a receipt says what was stopped. Nothing that you have seen ' +
      'is taken back. If you do not cancel, I come to my end by myself, the turn settles as completed, and the next thing that ' +
      'you say opens a new one. In both cases the history stays sound: what you said, what I said, and how it ended. To see more ' +
      'than text, say "research this and run the build".',
  }),
};

const scenes: readonly Scene[] = [researcher, build, afterAnInterruption, greeting];

/** What the exchange before the last user message left undone. */
interface Interruption {
  readonly words: string;
  /** As the runtime's note has it. */
  readonly how: string;
  readonly finished: readonly string[];
  readonly undone: readonly string[];
}

/** In the results of calls that did not come to an end of their own (transcript/wording.ts). */
const stopStatuses: readonly unknown[] = [
  'cancelled',
  'interrupted_before_start',
  'timed_out',
  'superseded',
  'abandoned',
  'continues',
];

/** How a call was stopped, by its result; null: it was not. */
function stopOf(result: string): string | null {
  try {
    const { status } = JSON.parse(result) as { status?: unknown };
    return typeof status === 'string' && stopStatuses.includes(status) ? status.replaceAll('_', ' ') : null;
  } catch {
    return null;
  }
}

/** Read from the history alone: its note says how the last turn ended, its results say what that did to the calls. */
function interruptionBefore(messages: readonly WireMessage[]): Interruption | null {
  const how = /the turn above (.*?)\. /s.exec(lastExchange(messages).notes)?.[1];
  if (how === undefined) return null;
  const before = messages.slice(
    0,
    messages.findLastIndex((message) => message.role === 'user'),
  );
  const { user, since } = lastExchange(before);
  const calls = callsIn(since);
  return {
    words: user,
    how,
    finished: calls.filter(({ stop }) => stop === null).map(({ name }) => name),
    undone: calls.filter(({ stop }) => stop !== null).map(({ name }) => name),
  };
}

function undone(interruption: Interruption): string {
  const { words, how, finished, undone: left } = interruption;
  const done =
    finished.length > 0 ? `${listed(finished)} had come to an end before that, and I keep what came of it. ` : '';
  const open =
    left.length > 0
      ? `${listed(left)} did not finish, and I do not start that again by myself.`
      : 'No call of a tool is left open by that.';
  return (
    `The history has a note of my last turn: it ${shortened(how, 120)}. You had said "${shortened(words, 80)}". ${done}` +
    `${open} If you want it taken up again, say the same words once more.`
  );
}

function callsIn(messages: readonly WireMessage[]) {
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => {
      const result = textOf(messages.find((each) => each.tool_call_id === call.id));
      return { name: call.function.name, result, stop: stopOf(result) };
    });
}

function resultsIn(messages: readonly WireMessage[]): string {
  return callsIn(messages)
    .map(({ name, result, stop }) =>
      stop === null ? `${name} answered "${shortened(result, 60)}".` : `${name} was stopped (${stop}).`,
    )
    .join(' ');
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function shortened(text: string, chars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= chars ? line : `${line.slice(0, chars)}…`;
}
