// A progress bar, with figures below.

interface ProgressBarProps {
  readonly label: string;
  /** From 0 to 1; undefined while unknown. */
  readonly share: number | undefined;
  readonly figures: readonly (string | undefined)[];
}

export function ProgressBar({ figures, label, share }: ProgressBarProps) {
  return (
    <div class="transfer-progress">
      <progress aria-label={label} max={1} value={share} />
      <p class="transfer-figures quiet">
        {figures.map((figure) => figure !== undefined && <span key={figure}>{figure}</span>)}
      </p>
    </div>
  );
}
