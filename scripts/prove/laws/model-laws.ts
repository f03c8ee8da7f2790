// Laws of model calls: what a request leaves out, what a turn may use, and what clients see of a response. They share no code with the runtime.
import type { WorldLaw } from './world-laws.ts';

export const modelLaws: Readonly<Record<string, WorldLaw>> = {
  'a request leaves out the turns that ended first': (_, view) => {
    const endOf = (id: string) => view.seqOf((fact) => fact.type === 'turn_ended' && fact.turn === id);
    const gone = new Set<string>();
    return view.of('turns_left_out').flatMap((fact) => {
      for (const id of fact.turns) gone.add(id);
      const at = view.log.indexOf(fact);
      // what ended before all of them may be in memory no more
      const first = Math.min(...fact.turns.map(endOf));
      const last = Math.max(...fact.turns.map(endOf));
      const kept = view
        .of('turn_opened')
        .filter(({ kind, turn }) => kind === 'say' && !gone.has(turn) && endOf(turn) <= at);
      return kept.filter(({ turn }) => endOf(turn) > first && endOf(turn) < last).map(({ turn }) => `${turn} is kept`);
    });
  },

  'a turn that has reached its limit asks no model': ({ turnTokens }, view) => {
    const used = new Map<string, number>();
    return view.log.flatMap((fact) => {
      if (fact.type === 'model_ended') {
        const { input, output } = fact.usage;
        used.set(fact.turn, (used.get(fact.turn) ?? 0) + (input ?? 0) + (output ?? 0));
      }
      const isOver = fact.type === 'model_started' && turnTokens > 0 && (used.get(fact.turn) ?? 0) >= turnTokens;
      return isOver ? [`${fact.turn}/${fact.index}`] : [];
    });
  },

  'a turn names the model call that did not end': (_, view) =>
    view.of('model_ended').flatMap(({ turn, outcome }) => {
      const end = view.of('turn_ended').find((fact) => fact.turn === turn);
      return outcome === 'abandoned' && end && end.code !== 'model_abandoned' ? [turn] : [];
    }),

  'a client that is there sees the whole text of a response': ({ clients }, view) => {
    const stopped = new Set(view.of('cancel_accepted').flatMap(({ stopping, pending }) => [...stopping, ...pending]));
    return clients.flatMap(({ person, connections }) =>
      connections.flatMap((frames) => {
        const joinedAt = frames.findIndex(({ type }) => type === 'joined');
        const seqAtJoin = joinedAt < 0 ? Number.POSITIVE_INFINITY : (frames[joinedAt]?.seq ?? 0);
        return view.of('model_ended').flatMap(({ turn, index, outcome, text }) => {
          if (outcome !== 'completed' || stopped.has(turn)) return [];
          const isOf = (frame: (typeof frames)[number]) => frame['turn'] === turn && frame['index'] === index;
          const start = frames.find((frame) => frame.type === 'model_started' && isOf(frame));
          const isWhole = frames.some((frame) => frame.type === 'model_ended' && isOf(frame));
          if (!isWhole || (start?.seq ?? 0) <= seqAtJoin) return [];
          const isReplaying = frames.findIndex(({ type }) => type === 'replayed') > frames.findIndex(isOf);
          if (isReplaying) return [];
          const seen = frames
            .flatMap((frame) => (frame.type === 'text_delta' && isOf(frame) ? String(frame['text']) : []))
            .join('');
          return seen === text ? [] : [`${person}: ${turn}/${index} is ${JSON.stringify(seen)}`];
        });
      }),
    );
  },

  'who joins gets the questions that are open': ({ clients }, view) =>
    clients.flatMap(({ person, connections }) =>
      connections.flat().flatMap(({ type, seq = 0, receivedAt, questions }) => {
        if (type !== 'joined' || !Array.isArray(questions)) return [];
        const told = new Set(questions.map(({ question }) => question));
        return [...view.of('question_asked'), ...view.of('approval_requested')].flatMap((asked) => {
          const closed = [...view.of('question_closed'), ...view.of('approval_closed')].find(
            (fact) => fact.question === asked.question,
          );
          const isOpen = view.log.indexOf(asked) < seq && (closed?.at ?? Number.POSITIVE_INFINITY) > Number(receivedAt);
          return isOpen && !told.has(asked.question) ? [`${person} is not told of ${asked.question}`] : [];
        });
      }),
    ),
};
