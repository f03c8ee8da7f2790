// The mark of Belay.

/** The mark, for people who see it; it says nothing to a screen reader. */
export const BrandMark = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#4453c4" />
    <path
      d="M10 7v18M10 7h7a4.5 4.5 0 0 1 0 9h-7M10 16h8.5a4.5 4.5 0 0 1 0 9H10"
      fill="none"
      stroke="#fff"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);
