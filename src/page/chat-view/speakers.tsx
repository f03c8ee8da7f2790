// The speakers of a session, where there are several.
import { useSession } from './session-context.ts';

/** Lists who has said something, stopped or answered something here; nothing where that is one person. */
export function Speakers({ names }: { readonly names: readonly string[] }) {
  const { speaker } = useSession();
  if (names.filter((name) => name !== speaker).length === 0) return null;
  return (
    <div className="speakers">
      <span aria-hidden="true">Speakers:</span>
      <ul aria-label="Speakers of this session">
        {names.map((name) => (
          <li key={name}>{name === speaker ? `${name} (you)` : name}</li>
        ))}
      </ul>
    </div>
  );
}
