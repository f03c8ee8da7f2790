// The tour: the conversation that the scripted endpoint plays without a script. It reads only the request, as a model does.
import { playAcknowledgement } from './acknowledgement.ts';
import {
  callsWithResults,
  type Interruption,
  type ResumptionNote,
  readInterruption,
  readResumption,
} from './interruption.ts';
import {
  lastExchange,
  type Pace,
  roundsIn,
  type ScriptedAnswer,
  type ScriptedCall,
  type WireMessage,
  type WireRequest,
} from './reply.ts';

/** About 35 tokens a second, as a hosted model has it. */
export const tourPace = { firstMs: 250, chunksPerSecond: 35, chunkChars: 4 } as const;
/** That of the sub-agent's report: it writes for half a minute, so that there is time to stop it. */
const reportPace = { ...tourPace, chunksPerSecond: 5 } as const;

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

/** The answer to a request; the first text of a turn says that a script plays the model. */
export function tour(request: WireRequest): ScriptedAnswer {
  const acknowledgement = playAcknowledgement(request.messages);
  if (acknowledgement !== null) return { text: `(scripted model) ${acknowledgement}`, pace: tourPace };
  const { user, notes, since } = lastExchange(request.messages);
  const rounds = roundsIn(since);
  const interruption = readInterruption(request.messages);
  const resumption = readResumption({ notes, user });
  const moment = { user, since, rounds, interruption, resumption };
  const scene = scenes.find(({ fits }) => fits(moment)) ?? defaultScene;
  const { text, calls = [], pace = tourPace } = scene.play(moment);
  return {
    text: rounds === 0 ? `(scripted model) ${text}` : text,
    calls: calls.flatMap((call) => declaredCall(call, request)),
    pace,
  };
}

/** Returns a call of what the request declares, with the arguments that it declares; nothing else is called. */
function declaredCall(
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
  readonly resumption: ResumptionNote | null;
}

interface Scene {
  fits(moment: Moment): boolean;
  play(moment: Moment): {
    readonly text: string;
    readonly calls?: readonly { name: string; arguments: Readonly<Record<string, unknown>> }[];
    readonly pace?: Pace;
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
      pace: reportPace,
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

/** Words that ask for the previous turn. */
const asksForLastTurn = /\b(left|undone|unfinished|stopped|interrupted|happened|go on|carry on|continue)\b/i;

/** After an acknowledgement it is said only to a person who asks: the stop was deliberate, and the script has said that it stopped. */
const afterAnInterruption: Scene = {
  fits: ({ interruption, user }) =>
    interruption !== null && (!interruption.isAcknowledged || asksForLastTurn.test(user)),
  play(moment) {
    const { interruption } = moment;
    const left = interruption ? interruptionText(interruption) : '';
    if (!build.fits(moment))
      return {
        text: `${left} I start none of it again by myself. If you want it taken up again, say the same words once more.`,
      };
    const again = build.play(moment);
    return moment.rounds > 0 ? again : { ...again, text: `${left} You ask for it now. ${again.text}` };
  },
};

const resumed: Scene = {
  fits: ({ resumption }) => resumption !== null,
  play(moment) {
    const { resumption } = moment;
    const prompt = { ...moment, user: resumption?.text ?? '' };
    const again = build.fits(prompt) ? build.play(prompt) : null;
    if (again && moment.rounds > 0) return again;
    return { text: resumption ? resumptionText(resumption) : '', calls: again?.calls ?? [] };
  },
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

const defaultScene: Scene = {
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

const check: Scene = {
  fits: ({ user }) => playCheck(user, 0) !== null,
  play: ({ user, rounds }) => playCheck(user, rounds) ?? { text: '' },
};

const scenes: readonly Scene[] = [check, resumed, researcher, afterAnInterruption, build, greeting];

function interruptionText({
  text,
  stopNote,
  isCutOff,
  completed,
  unstarted,
  harmless,
  uncertain,
}: Interruption): string {
  const count = completed.length + unstarted.length + harmless.length + uncertain.length;
  const sentences = [
    completed.length > 0 && `${listed(completed)} had completed before that, and I keep what came of it.`,
    uncertain.length > 0 &&
      `${listed(uncertain)} ${were(uncertain)} cut off while ${they(uncertain)} ran and may have had effects: look before you repeat that.`,
    harmless.length > 0 && `${listed(harmless)} ${were(harmless)} cut off and had no effects.`,
    unstarted.length > 0 && `${listed(unstarted)} did not run.`,
    count === 0 && `No tool had been called${isCutOff ? '; only my words were cut off' : ''}.`,
  ].filter((sentence) => sentence !== false);
  return (
    `My last turn did not finish: it ${shortened(stopNote, 160)}. You had said "${shortened(text, 80)}". ` +
    sentences.join(' ')
  );
}

const were = (names: readonly string[]) => (names.length === 1 ? 'was' : 'were');
const they = (names: readonly string[]) => (names.length === 1 ? 'it' : 'they');

function resumptionText({ text, words, completed, uncertain }: ResumptionNote): string {
  const said = words === '' ? '' : `, with the words "${shortened(words, 120)}"`;
  const done = completed.length > 0 ? ` Completed before the end: ${completed.join(', ')}.` : '';
  const open = uncertain.length > 0 ? ` May have had effects: ${uncertain.join(', ')}.` : '';
  return (
    `I am asked to take up ${text} again${said}.${done}${open} A model would go on from there, and find out first what has been done; ` +
    'I am a script, and make the same calls again, if there were any.'
  );
}

function resultsIn(messages: readonly WireMessage[]): string {
  return callsWithResults(messages)
    .map(({ name, result, stop }) =>
      stop === null ? `${name} answered "${shortened(result, 60)}".` : `${name} was stopped (${stop.status}).`,
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

interface Played {
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

const gauge = (city: string) => ({ name: 'read_gauge', arguments: { city } });

/** By the words of the checks (src/adapters/models/check); the first of two answers is that of the round before the results. */
const answers: readonly (readonly [asked: RegExp, before: Played, after: Played])[] = [
  [/^Reply with the word ready|Reply with the word ready\.$/, { text: 'ready' }, { text: 'ready' }],
  [
    /^Add 1931 and 4207 with the tool/,
    { text: 'I add them.', calls: [{ name: 'add_numbers', arguments: { a: 1931, b: 4207 } }] },
    { text: 'The sum is 6138.' },
  ],
  [
    /^Read the gauges of Oslo, Lima and Accra/,
    { text: 'I read them.', calls: [gauge('Oslo'), gauge('Lima'), gauge('Accra')] },
    { text: 'Done.' },
  ],
  [/^Which color is this picture/, { text: 'A script sees no picture.' }, { text: '' }],
  [/^A bat and a ball cost/, { text: '0.05' }, { text: '' }],
];

/** Returns what the script says and calls in a check of `belay check-model`; null: the words are of none. `rounds`: those of calls so far. */
function playCheck(user: string, rounds: number): Played | null {
  const [, before, after] = answers.find(([asked]) => asked.test(user)) ?? [];
  return (rounds === 0 ? before : after) ?? null;
}
