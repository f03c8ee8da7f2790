// Laws of commands with refs: what comes again, what is newer than a first sending, and replies. They share no code with the runtime.
import type { CommandEvidence } from './evidence.ts';
import type { LogView } from './log-view.ts';
import type { WorldLaw } from './world-laws.ts';

/** Replies to commands that have not used up their ref. */
const notTaken = ['ref_reused', 'say_refused', 'answer_refused', 'unknown_target'];

/** The commands with a ref, those of one key together. */
const byKey = (commands: readonly CommandEvidence[]) =>
  [...Map.groupBy(commands, ({ speaker, ref }) => `${speaker} ${ref}`)].filter(([, [first]]) => first?.ref !== null);

/** Whether the time of day was set back. */
const isSetBack = ({ log }: LogView) => log.some(({ at }, i) => at < (log[i - 1]?.at ?? at));

const contentOf = ({ type, content }: CommandEvidence) => `${type} ${content}`;

/** Copies of one command, in the order of their sending. */
const copiesIn = (commands: readonly CommandEvidence[]) =>
  byKey(commands).flatMap(([key, all]) =>
    [...Map.groupBy(all, contentOf).values()].map((copies) => [key, copies] as const),
  );

export const commandLaws: Readonly<Record<string, WorldLaw>> = {
  'a ref is one command': ({ commands }) =>
    byKey(commands).flatMap(([key, all]) => {
      const taken = all.filter(({ reply }) => reply !== null && !notTaken.includes(reply));
      const open = all.filter(({ reply }) => reply === null);
      const isUsed = (one: CommandEvidence) => [...taken, ...open].some((other) => contentOf(other) !== contentOf(one));
      const reused = all.filter((one) => one.reply === 'ref_reused' && !isUsed(one));
      return [
        ...(new Set(taken.map(contentOf)).size > 1 ? [`${key}: ${taken.map(contentOf).join(', ')}`] : []),
        ...reused.map((one) => `${key} is reported as used: ${contentOf(one)}`),
      ];
    }),

  'a copy of accepted words or of an accepted CANCEL has the reply of a repeat': ({ commands }) =>
    copiesIn(commands).flatMap(([key, copies]) => {
      const first = copies.findIndex(({ reply, isRepeated }) => accepted.includes(reply ?? '') && !isRepeated);
      const wrong = copies.filter(
        (copy, i) => i !== first && copy.reply !== null && (first < 0 ? false : !isRepeat(copy, i > first)),
      );
      return wrong.map(({ reply }) => `${key} has the reply ${reply}`);
    }),

  'a CANCEL that comes again reaches no turn that was opened since': ({ commands, crashes }, view) =>
    copiesIn(commands).flatMap(([key, [first]]) => {
      const { ref, type, repliedAt, receipt } = first ?? { type: '', repliedAt: null, receipt: null };
      if (type !== 'CANCEL' || repliedAt === null) return [];
      if (isSetBack(view)) return []; // then no time says what is newer
      if (receipt === null && crashes.some(({ at }) => at >= repliedAt)) return []; // a crash may take away what was not durable
      const newer = new Set(view.of('turn_opened').flatMap(({ turn, at }) => (at > repliedAt ? turn : [])));
      return view
        .of('cancel_accepted')
        .filter((fact) => fact.ref === ref && fact.by === first?.speaker)
        .flatMap(({ stopping, pending }) => [...stopping, ...pending].filter((id) => newer.has(id)))
        .map((id) => `${key} stops ${id}`);
    }),

  'what is reported as durable is stored': ({ commands }) =>
    commands.flatMap(({ isEarly, ...command }) => (isEarly ? [contentOf({ isEarly, ...command })] : [])),
};

const accepted = ['turn_opened', 'input_deferred', 'cancel_accepted'];

const isRepeat = ({ reply, isRepeated }: CommandEvidence, isLater: boolean) =>
  accepted.includes(reply ?? '') ? isRepeated : !isLater || reply === 'ref_reused';
