// The reply of a turn: the text of each model call, and after it the cards of the calls that it has asked for.
import { memo } from 'react';
import type { CallView, SessionSnapshot, TextBlockView, TurnView } from '../../client/view/snapshot.ts';
import { CallCard } from './call-card.tsx';
import { DeferredInputLines } from './deferred-inputs.tsx';
import { Markdown } from './markdown.tsx';
import { cutOffText } from './stop-notes.ts';

interface TurnResponseProps {
  readonly turn: TurnView;
  readonly snapshot: SessionSnapshot;
}

/** The blocks and calls of a turn, in their order. */
export function TurnResponse({ turn, snapshot }: TurnResponseProps) {
  const isLive = turn.node.outcome === null;
  const indexes = new Set(turn.blocks.map(({ index }) => index));
  // a call from before the JOIN does not say which model call has asked for it
  const others = turn.calls.filter(({ index }) => index === null || !indexes.has(index));
  return (
    <div className="response">
      {turn.blocks.map((block) => (
        <div key={block.index} className="round">
          <DeferredInputLines inputs={turn.inputs.filter(({ index }) => index === block.index)} snapshot={snapshot} />
          <Text block={block} isLive={isLive} />
          <Calls calls={turn.calls.filter(({ index }) => index === block.index)} turn={turn} snapshot={snapshot} />
          <ArrivingCalls block={block} />
        </div>
      ))}
      <Calls calls={others} turn={turn} snapshot={snapshot} />
      <DeferredInputLines
        inputs={turn.inputs.filter(({ index }) => index === null || !indexes.has(index))}
        snapshot={snapshot}
      />
    </div>
  );
}

const Text = memo(function Text({ block, isLive }: { readonly block: TextBlockView; readonly isLive: boolean }) {
  const isStreaming = isLive && block.state === 'streaming';
  const isSilent = isStreaming && block.text === '' && block.inputs.length === 0;
  return (
    <>
      {block.reasoning !== '' && (
        <details className="reasoning">
          <summary>Reasoning</summary>
          <p>{block.reasoning}</p>
        </details>
      )}
      {isSilent && (
        <p className="dots" aria-hidden="true">
          <span />
          <span />
          <span />
        </p>
      )}
      <div data-streaming={isStreaming || undefined} className="text">
        {block.text !== '' && <Markdown text={block.text} />}
        {cutOffText(block) !== null && <p className="cut-off">{cutOffText(block)}</p>}
      </div>
    </>
  );
});

interface CallsProps extends TurnResponseProps {
  readonly calls: readonly CallView[];
}

/** The cards of calls; that of a sub-agent has its turn inside. */
const Calls = ({ calls, turn, snapshot }: CallsProps) =>
  calls.map((call) => {
    const inner = snapshot.turns.find(({ node }) => node.parent === call.node.id);
    return (
      <CallCard key={call.node.id} call={call} turn={turn} snapshot={snapshot}>
        {inner && <TurnResponse turn={inner} snapshot={snapshot} />}
      </CallCard>
    );
  });

/** Calls whose arguments the model is still writing. */
const ArrivingCalls = ({ block: { inputs } }: { readonly block: TextBlockView }) =>
  inputs.map(({ name, text }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no id yet
    <p key={at} className="arriving">
      {name || 'a call'} <span className="soft">{text.slice(-80)}</span>
    </p>
  ));
