// Files that will be said with the next words.

interface AttachmentsProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

/** The files, each with a button that takes it out; nothing for none. */
export function Attachments({ files, onChange }: AttachmentsProps) {
  if (files.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Files to be said">
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may stand twice
        <li key={at}>
          {file.name}
          <button
            type="button"
            className="session-delete"
            aria-label={`Take out ${file.name}`}
            onClick={() => onChange(files.filter((each) => each !== file))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
