// The timeout of a tool in the session: shows what was set, and sets it for the next calls.
import { useId, useState } from 'react';
import { useConnection, useSnapshot } from '../page-state/connection-context.ts';
import { useSession } from './session-context.ts';

const msPerSecond = 1_000;

/** A closed disclosure with the form. At a gateway that cannot set timeouts it renders nothing. */
export function CallTimeout({ tool }: { readonly tool: string }) {
  const { opened } = useSession();
  const { client } = useConnection();
  const { toolTimeouts } = useSnapshot(opened);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useId();
  if (!client.features?.includes('tool_timeouts')) return null;
  const setMs = toolTimeouts[tool];
  const change = (ms: number | null) =>
    opened.session.setToolTimeout(tool, ms).then(
      () => setProblem(null),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  return (
    <details className="arguments">
      <summary>
        Timeout of {tool} here: {setMs === undefined ? 'as configured' : `${setMs / msPerSecond} s`}
      </summary>
      <form
        className="seconds-field"
        onSubmit={(event) => {
          event.preventDefault();
          const seconds = Number(new FormData(event.currentTarget).get('seconds'));
          void change(Math.round(seconds * msPerSecond));
        }}
      >
        <label htmlFor={field}>For its next calls, in seconds</label>
        <input
          id={field}
          className="field"
          name="seconds"
          type="number"
          min="1"
          step="any"
          inputMode="decimal"
          required
        />
        <button type="submit" className="button">
          Set
        </button>
        {setMs !== undefined && (
          <button type="button" className="button" onClick={() => void change(null)}>
            As configured
          </button>
        )}
      </form>
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </details>
  );
}
