// The settings of the page: how it looks, and the limits of this gateway.
import { useSyncExternalStore } from 'react';
import { type EscapeTarget, escapeTargets } from '../client/view/escape-target.ts';
import { useConnection, useConnectionState } from './page-state/connection-context.ts';
import { chooseEscapeTarget, useEscapeTarget } from './page-state/escape-target.ts';
import { allowNotices, type NoticeState, stopNotices, useNoticeState } from './page-state/notices.ts';
import { chooseTheme, type Theme, themes, useTheme } from './page-state/theme.ts';
import { setTimeLimits, subscribeToTimeLimits, timeLimits } from './page-state/time-limits.ts';

const themeNames: Readonly<Record<Theme, string>> = { system: 'As the system has it', light: 'Light', dark: 'Dark' };

/** The panel of the settings. */
export function Settings() {
  return (
    <div className="view">
      <div className="sheet">
        <Appearance />
        <NoticeChoice />
        <EscapeChoice />
        <TimeLimitFields />
        <GatewayFacts />
      </div>
    </div>
  );
}

function Appearance() {
  const chosen = useTheme();
  return (
    <fieldset className="settings-group">
      <legend>Appearance</legend>
      {themes.map((theme) => (
        <label key={theme} className="choice">
          <input type="radio" name="theme" checked={theme === chosen} onChange={() => chooseTheme(theme)} />
          {themeNames[theme]}
        </label>
      ))}
    </fieldset>
  );
}

const noticeTexts: Readonly<Record<NoticeState, string>> = {
  on: 'They come from this browser while you look at something else, with the title of the session and what it asks.',
  off: 'This browser can say that a session asks you something, or has ended, while you look at something else.',
  blocked: 'The browser does not allow notifications of this page. Its own settings of the page can.',
  missing: 'This browser has no notifications here.',
};

function NoticeChoice() {
  const state = useNoticeState();
  return (
    <fieldset className="settings-group">
      <legend>Notifications</legend>
      <p className="soft small">{noticeTexts[state]}</p>
      {state === 'off' && (
        <button type="button" className="button" onClick={() => void allowNotices()}>
          Allow notifications
        </button>
      )}
      {state === 'on' && (
        <button type="button" className="button" onClick={stopNotices}>
          Turn notifications off
        </button>
      )}
    </fieldset>
  );
}

const escapeNames: Readonly<Record<EscapeTarget, string>> = {
  turn: 'Your turn',
  tools: 'The tools of your turn, which goes on with their results. Where none runs, the turn',
};

function EscapeChoice() {
  const chosen = useEscapeTarget();
  return (
    <fieldset className="settings-group">
      <legend>What Escape stops</legend>
      {escapeTargets.map((target) => (
        <label key={target} className="choice">
          <input type="radio" name="escape" checked={target === chosen} onChange={() => chooseEscapeTarget(target)} />
          {escapeNames[target]}
        </label>
      ))}
    </fieldset>
  );
}

/** The fields for the times after which this page stops what the speaker has started. */
function TimeLimitFields() {
  const limits = useSyncExternalStore(subscribeToTimeLimits, timeLimits);
  return (
    <fieldset className="settings-group">
      <legend>Time limits</legend>
      <p className="soft small">
        While this page is open it stops what is yours and runs longer, in the sessions that you have opened in it. The
        time in which somebody is asked or another call is waited for does not count. The gateway has limits of its own,
        which hold in any case.
      </p>
      <SecondsField name="A turn" value={limits.turn} onChange={(turn) => setTimeLimits({ ...limits, turn })} />
      <SecondsField
        name="A tool or sub-agent"
        value={limits.call}
        onChange={(call) => setTimeLimits({ ...limits, call })}
      />
    </fieldset>
  );
}

interface SecondsFieldProps {
  readonly name: string;
  /** The number of seconds; 0: no limit. */
  readonly value: number;
  readonly onChange: (seconds: number) => void;
}

const SecondsField = ({ name, value, onChange }: SecondsFieldProps) => (
  <label className="seconds-field">
    <span>{name}, in seconds</span>
    <input
      className="field"
      type="number"
      min="0"
      inputMode="numeric"
      placeholder="no limit"
      value={value === 0 ? '' : value}
      onChange={(event) => onChange(Number(event.target.value))}
    />
  </label>
);

function GatewayFacts() {
  useConnectionState();
  const { speaker, roles, limits } = useConnection().client;
  if (speaker === null || !limits) return null;
  return (
    <section className="settings-group">
      <h2>This connection</h2>
      <dl className="facts">
        <dt>Speaker</dt>
        <dd>{speaker}</dd>
        <dt>Roles</dt>
        <dd>{roles?.join(', ') || 'none'}</dd>
        <dt>Longest message</dt>
        <dd>{limits.frameBytes.toLocaleString('en')} bytes</dd>
        <dt>Sessions at once</dt>
        <dd>{limits.sessions}</dd>
      </dl>
    </section>
  );
}
