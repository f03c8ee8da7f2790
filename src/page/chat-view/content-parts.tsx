// Pictures, sounds and files of what was said or shown. A picture is read from the gateway when it comes into sight.
import { useEffect, useState } from 'react';
import type { ContentPart } from '../../wire/said-parts.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { readBlob } from './blobs.ts';
import { useSession } from './session-context.ts';

type MediaPart = Exclude<ContentPart, { type: 'text' }>;

/** Returns the words of a content: `text` is its text form, in which words stand for pictures too, which are shown themselves. */
export const wordsOf = (text: string, parts: readonly ContentPart[]): string =>
  parts.length === 0 ? text : parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** A list of media parts; nothing for none. */
export function ContentParts({ parts }: { readonly parts: readonly ContentPart[] }) {
  const media = parts.filter((part) => part.type !== 'text');
  if (media.length === 0) return null;
  return (
    <ul className="media">
      {media.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same blob may stand twice
        <li key={at}>
          {part.type === 'image' ? (
            <BlobImage blob={part.blob} name={part.name ?? 'Picture'} />
          ) : (
            <FileLink part={part} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** An image of the session's blobs. */
export function BlobImage({ blob, name }: { readonly blob: string; readonly name: string }) {
  const address = useBlobAddress(blob);
  if (address instanceof Error) return <span className="soft">{`${name} cannot be shown: ${address.message}`}</span>;
  if (address === null) return <span className="soft">{name}…</span>;
  return <img className="picture" src={address} alt={name} />;
}

function FileLink({ part }: { readonly part: MediaPart }) {
  const connection = useConnection();
  const { opened } = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  const name = part.name ?? part.type;
  const save = () => {
    readBlob(connection, opened.id, part.blob).then(
      (address) => {
        const link = document.createElement('a');
        link.href = address;
        link.download = name;
        link.click();
        URL.revokeObjectURL(address);
      },
      ({ message }: Error) => setProblem(message),
    );
  };
  return (
    <>
      <button type="button" className="button button-small" onClick={save}>
        Save {name}
      </button>{' '}
      <span className="soft small">{problem ?? `${part.mediaType}, ${part.bytes.toLocaleString('en')} bytes`}</span>
    </>
  );
}

/** The address of the bytes within this page; null until they are here. */
function useBlobAddress(blob: string): string | Error | null {
  const connection = useConnection();
  const { id } = useSession().opened;
  const [address, setAddress] = useState<string | Error | null>(null);
  useEffect(() => {
    let isShown = true;
    const reading = readBlob(connection, id, blob);
    reading.then(
      (made) => {
        if (isShown) setAddress(made);
      },
      (error: Error) => setAddress(error),
    );
    return () => {
      isShown = false;
      reading.then(URL.revokeObjectURL, () => {});
    };
  }, [connection, id, blob]);
  return address;
}
