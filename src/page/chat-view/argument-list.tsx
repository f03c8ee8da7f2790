// The arguments of a call: a list by name, or their text where a list would not say all of it.
import { readArguments } from '../../client/view/call-arguments.ts';
import { writeOutHidden } from '../../core/text/printable.ts';

/** The arguments of a call, with what cannot be seen written out. `text`: JSON as the model wrote it. */
export function CallArguments({ text }: { readonly text: string }) {
  const values = readArguments(text);
  return values ? <ArgumentList values={values} /> : <pre className="output">{writeOutHidden(text)}</pre>;
}

/** A list of the arguments; a text stands as it is, every other value as JSON. */
const ArgumentList = ({ values }: { readonly values: Readonly<Record<string, unknown>> }) => (
  <dl className="argument-list">
    {Object.entries(values).map(([name, value]) => (
      <div key={name}>
        <dt>{writeOutHidden(name)}</dt>
        <dd>{writeOutHidden(typeof value === 'string' ? value : JSON.stringify(value))}</dd>
      </div>
    ))}
  </dl>
);
