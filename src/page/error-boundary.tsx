// Catches what a component throws, so that a bug in one view leaves a sentence and a way on instead of an empty page.
import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Another value shows the view again: its address. */
  readonly place: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: Error | null;
  readonly place: string;
}

/** Shows its children, or that they have failed. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null, place: this.props.place };

  static getDerivedStateFromError(error: Error): Partial<ErrorBoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: ErrorBoundaryProps, state: ErrorBoundaryState): ErrorBoundaryState | null {
    return place === state.place ? null : { error: null, place };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="view sheet">
        <h2>This view has failed: a bug of the page</h2>
        <p className="problem" role="alert">
          {error.message}
        </p>
        <p>What runs goes on, and can be stopped from any other client.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
