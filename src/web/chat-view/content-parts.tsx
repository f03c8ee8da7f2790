// Images, sounds and files of what was said or shown, by their names.
import type { ContentPart } from '../../protocol/said-parts.ts';

/** A list of media parts; nothing for none. */
export function ContentParts({ parts }: { readonly parts: readonly ContentPart[] }) {
  const media = parts.filter((part) => part.type !== 'text');
  if (media.length === 0) return null;
  return (
    <ul className="media">
      {media.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same blob may stand twice
        <li key={at}>
          {part.type} {part.name ?? ''} <span className="soft">({part.mediaType})</span>
        </li>
      ))}
    </ul>
  );
}
