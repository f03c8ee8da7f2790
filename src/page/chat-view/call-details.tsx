// The inside of a card: the arguments of the call, its live output, its result.
import { useEffect, useRef } from 'react';
import type { CallResult, CallView } from '../../client/view/snapshot.ts';
import { CallArguments } from './argument-list.tsx';
import { CallTimeout } from './call-timeout.tsx';
import { ContentParts, wordsOf } from './content-parts.tsx';
import { CopyButton } from './copy-button.tsx';

interface CallDetailsProps {
  readonly call: CallView;
  readonly isOver: boolean;
}

/** The arguments of a call, and its output. */
export function CallDetails({ call, isOver }: CallDetailsProps) {
  const { result, lateResult, output } = call;
  const shown = lateResult ?? result;
  return (
    <>
      <Arguments text={call.arguments} />
      {!isOver && output !== '' && <LiveOutput text={output} name={call.node.name ?? 'call'} />}
      {shown && <Result result={shown} output={output} />}
      {call.node.name !== null && <CallTimeout tool={call.node.name} />}
    </>
  );
}

/** Closed at first: the title has what distinguishes one call from another. */
function Arguments({ text }: { readonly text: string | null }) {
  if (text === null || text === '' || text === '{}') return null;
  return (
    <details className="arguments">
      <summary>Arguments</summary>
      <CallArguments text={text} />
    </details>
  );
}

/** The end of what a call prints; it follows its last line. */
function LiveOutput({ text, name }: { readonly text: string; readonly name: string }) {
  const box = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new text moves it
  useEffect(() => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <pre ref={box} className="output" tabIndex={0} role="log" aria-live="off" aria-label={`Live output of ${name}`}>
      {text}
    </pre>
  );
}

function Result({ result, output }: { readonly result: CallResult; readonly output: string }) {
  const text = result.output === null ? output : wordsOf(result.output, result.parts);
  return (
    <>
      {result.message !== null && (
        <p className="problem">
          {result.message}
          {result.code !== null && <span className="soft"> ({result.code})</span>}
        </p>
      )}
      <ContentParts parts={result.parts} />
      {text !== '' && (
        <div className="code-box">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
          <pre className="output" tabIndex={0}>
            {text}
          </pre>
          <CopyButton text={text} what="the result" />
        </div>
      )}
    </>
  );
}
