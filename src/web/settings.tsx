// The settings of the page: how it looks, and the limits of this gateway.
import { useConnection, useConnectionState } from './page-state/connection-context.ts';
import { chooseTheme, type Theme, themes, useTheme } from './page-state/theme.ts';

const themeNames: Readonly<Record<Theme, string>> = { system: 'As the system has it', light: 'Light', dark: 'Dark' };

/** The panel of the settings. */
export function Settings() {
  return (
    <div className="view">
      <div className="sheet">
        <Appearance />
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
