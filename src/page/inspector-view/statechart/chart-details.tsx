// The details of what is chosen in a statechart: a state, a transition, or the machine itself.
import type { ChartDrawing, DrawnState, DrawnTransition, Handler } from './chart-drawing.ts';
import { eventWords } from './chart-words.ts';

interface ChartDetailsProps {
  readonly drawing: ChartDrawing;
  /** The path of a state, or the id of a transition; null: the machine. */
  readonly chosen: string | null;
  readonly onChoose: (chosen: string | null) => void;
}

/** Shows the events, guards and actions of what is chosen. */
export function ChartDetails({ drawing, chosen, onChoose }: ChartDetailsProps) {
  const state = drawing.states.find(({ path }) => path === chosen);
  const transition = drawing.transitions.find(({ id }) => id === chosen);
  if (state) return <StateDetails drawing={drawing} state={state} onChoose={onChoose} />;
  if (transition) return <TransitionDetails transition={transition} onChoose={onChoose} />;
  return (
    <>
      <h2>{drawing.id}</h2>
      <p>{drawing.about}</p>
      <Handlers title="In every state that does not say otherwise" handlers={drawing.handles} />
      <Reasons reasons={drawing.reasons} />
      <Legend />
    </>
  );
}

interface StateDetailsProps extends Pick<ChartDetailsProps, 'drawing' | 'onChoose'> {
  readonly state: DrawnState;
}

function StateDetails({ drawing, state, onChoose }: StateDetailsProps) {
  const { path, name, kind, invokes, entry, exit, handles, reasons } = state;
  const inside = path.slice(0, -name.length - 1);
  return (
    <>
      <h2>{name}</h2>
      <p className="soft small">
        {kind === 'final' ? 'A final state' : 'A state'}
        {inside !== '' && (
          <>
            {' of '}
            <Link to={inside} onChoose={onChoose} />
          </>
        )}
      </p>
      <Names title="Its worker" names={invokes} />
      <Names title="On entry" names={entry} />
      <Names title="On exit" names={exit} />
      <Handlers title="Stays here on" handlers={handles} />
      <Reasons reasons={reasons} />
      <Ways
        title="Goes to"
        end="to"
        onChoose={onChoose}
        ways={drawing.transitions.filter(({ from }) => from === path)}
      />
      <Ways
        title="Comes from"
        end="from"
        onChoose={onChoose}
        ways={drawing.transitions.filter(({ to }) => to === path)}
      />
    </>
  );
}

interface TransitionDetailsProps extends Pick<ChartDetailsProps, 'onChoose'> {
  readonly transition: DrawnTransition;
}

const kinds = {
  cancel: 'The way of a stop',
  unwinding: 'What was stopped goes on its way',
} as const;

function TransitionDetails({ transition: { from, to, handlers, stop }, onChoose }: TransitionDetailsProps) {
  return (
    <>
      <h2>Transition</h2>
      <p>
        <Link to={from} onChoose={onChoose} /> → <Link to={to} onChoose={onChoose} />
      </p>
      {stop && <p className="soft small">{kinds[stop]}</p>}
      <Handlers title="Taken on" handlers={handlers} />
    </>
  );
}

interface LinkProps extends Pick<ChartDetailsProps, 'onChoose'> {
  readonly to: string;
}

const Link = ({ to, onChoose }: LinkProps) => (
  <button type="button" className="link-button" onClick={() => onChoose(to)}>
    {to}
  </button>
);

/** An event at which several rows are tried in order stands once for each. */
function Handlers({ title, handlers }: { readonly title: string; readonly handlers: readonly Handler[] }) {
  if (handlers.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul className="chart-rows">
        {grouped(handlers).map(({ events, guard, actions }) => (
          <li key={`${events}|${guard}|${actions}`}>
            <b>{events}</b>
            {guard !== '' && (
              <>
                {' '}
                if <code>{guard}</code>
              </>
            )}
            {actions.length > 0 ? <span className="chart-actions">{actions.join(', ')}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Puts the events that are handled alike into one row. */
function grouped(handlers: readonly Handler[]) {
  const rows = new Map<string, { readonly handler: Handler; readonly events: Set<string> }>();
  for (const handler of handlers) {
    const key = [handler.guard, ...handler.actions].join('|');
    const row = rows.get(key) ?? { handler, events: new Set<string>() };
    row.events.add(eventWords(handler.event));
    rows.set(key, row);
  }
  return [...rows.values()].map(({ handler: { guard, actions }, events }) => ({
    events: [...events].join(', '),
    guard,
    actions,
  }));
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <p>
        <code>{names.join(', ')}</code>
      </p>
    </section>
  );
}

/** Why a state has no transition for an event that one may expect there, like a CANCEL. */
function Reasons({ reasons }: { readonly reasons: Readonly<Record<string, string>> }) {
  const entries = Object.entries(reasons);
  if (entries.length === 0) return null;
  return (
    <section>
      <h3>Notes on events</h3>
      <ul className="chart-rows">
        {entries.map(([event, reason]) => (
          <li key={event}>
            <b>{event}</b>: {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface WaysProps extends Pick<ChartDetailsProps, 'onChoose'> {
  readonly title: string;
  readonly end: 'from' | 'to';
  readonly ways: readonly DrawnTransition[];
}

function Ways({ title, end, ways, onChoose }: WaysProps) {
  if (ways.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul className="chart-rows">
        {ways.map((way) => (
          <li key={way.id}>
            <button type="button" className="link-button" onClick={() => onChoose(way.id)}>
              {way[end]}
            </button>{' '}
            <span className="soft">
              on {[...new Set(way.handlers.map(({ event }) => eventWords(event)))].join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const Legend = () => (
  <section>
    <h3>How to read it</h3>
    <ul className="chart-legend">
      <li data-is="active">active now</li>
      <li data-is="taken">the step just taken</li>
      <li data-is="cancel">a CANCEL, or a budget that has passed</li>
      <li data-is="unwinding">what was stopped goes on its way</li>
      <li data-is="worker">a worker, which runs while the state is active</li>
    </ul>
  </section>
);
