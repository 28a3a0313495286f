import { messageOf } from '@quartermaster/kernel';
import { Component, type ReactNode } from 'react';

interface PageBoundaryState {
  readonly problem: string | undefined;
}

/** A page that fails takes neither the frame nor the other pages with it: it says what failed and what to try. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, PageBoundaryState> {
  override readonly state: PageBoundaryState = { problem: undefined };

  static getDerivedStateFromError(error: unknown): PageBoundaryState {
    return { problem: messageOf(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div className="empty" role="alert">
        <h1>This page failed</h1>
        <p>
          It could not be rendered: <code>{problem}</code>. The other pages still work. This is a bug in the console.
        </p>
        <button type="button" className="quiet-button" onClick={() => this.setState({ problem: undefined })}>
          Try again
        </button>
      </div>
    );
  }
}
