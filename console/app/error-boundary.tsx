// Contains the failure of a screen while it renders.

import { Component, type ComponentChildren } from 'preact';
import { Button } from '../design/button.tsx';
import { ErrorNotice } from '../design/notice.tsx';

interface State {
  readonly error: unknown;
}

export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = { error: undefined };

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const again = (): void => this.setState({ error: undefined });
    return (
      <div class="page">
        <ErrorNotice error={error} action={<Button onClick={again}>Try again</Button>} />
      </div>
    );
  }
}
