// The name of a speaker, in their color.
import { speakerColor } from '../page-state/speaker-color.ts';

/** The name; `isYou`: it is that of this page. */
export const SpeakerName = ({ name, isYou = false }: { readonly name: string; readonly isYou?: boolean }) => (
  <span className="speaker-name" data-speaker-color={speakerColor(name)}>
    {isYou ? `${name} (you)` : name}
  </span>
);
