// The arguments of a call by name, as a list.

/** A list of the arguments; a text stands as it is, every other value as JSON. */
export const ArgumentList = ({ values }: { readonly values: Readonly<Record<string, unknown>> }) => (
  <dl className="argument-list">
    {Object.entries(values).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
      </div>
    ))}
  </dl>
);
