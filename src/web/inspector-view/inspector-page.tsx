// The inspector: the machines of a session, or of all, at work.

interface InspectorPageProps {
  /** Null: all sessions. */
  readonly session: string | null;
  /** What is shown, as the address has it: the parts after the session. */
  readonly place: readonly string[];
}

/** Shows the machines at work. */
export function InspectorPage({ session }: InspectorPageProps) {
  return (
    <div className="view sheet">
      <h2>Inspector</h2>
      <p className="soft">The machines of {session ?? 'all sessions'} are not shown on this page yet.</p>
    </div>
  );
}
