// Light or dark: as the system has it, or as the person has chosen.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

export const themes: readonly Theme[] = ['system', 'light', 'dark'];
const storageName = 'belay-theme';
const listeners = new Set<() => void>();

/** Returns the theme that was chosen in this browser. */
export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(storageName)) ?? 'system';
  } catch {
    return 'system';
  }
}

/** Shows a theme; the style sheet reads it from the root element. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Chooses a theme, also for later visits. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(storageName, theme);
  } catch {
    // without storage it holds for this visit
  }
  applyTheme(theme);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Returns the chosen theme, and follows it. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
