// The looks in which every view is checked: light and dark, wide and on a phone.
/** A small phone. */
export const phone = { width: 360, height: 740 };
const wide = { width: 1_280, height: 860 };

export const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [wide, phone].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} px` })),
);
