export function Logo() {
  return (
    <span class="logo">
      <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        <rect width="20" height="20" rx="5" class="logo-ground" />
        <rect x="5" y="5" width="4.4" height="4.4" rx="1.2" class="logo-cell" />
        <rect x="10.6" y="5" width="4.4" height="4.4" rx="1.2" class="logo-cell logo-cell-faint" />
        <rect x="5" y="10.6" width="4.4" height="4.4" rx="1.2" class="logo-cell logo-cell-faint" />
        <rect x="10.6" y="10.6" width="4.4" height="4.4" rx="1.2" class="logo-cell" />
      </svg>
      gridkeep
    </span>
  );
}
