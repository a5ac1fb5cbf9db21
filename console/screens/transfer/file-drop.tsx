// A drop target and picker for a file.

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';

export function FileDrop({ onFile }: { readonly onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
  };
  return (
    <section
      class={isOver.value ? 'file-drop file-drop-over' : 'file-drop'}
      aria-label="File to import"
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="upload" />
      <h2>Drop a file here</h2>
      <p class="quiet">
        NDJSON, a JSON array, or CSV with a header row, of any size. Nothing is sent before you have
        seen its first rows.
      </p>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="File"
        tabIndex={-1}
        onChange={(event) => take(event.currentTarget.files)}
      />
    </section>
  );
}
