import { consoleHeader, sessionPath } from '../../console-session.ts';
import type { SessionView } from '../../session-view.ts';
import { ownKey } from '../session/own-key.ts';
import { inTurn } from './in-turn.ts';

/** Fired at the window when a request was refused and nobody is signed in any more. */
export const sessionEndedEvent = 'quartermaster-session-ended';

/** Tabs that wait behind this one do not wait longer. */
const withinMs = 15_000;

let asking: Promise<boolean> | undefined;

/** Asks who looks, which renews a session where that can be done: however many requests were refused, once. False when there is none any more. */
export function renewSession(): Promise<boolean> {
  asking ??= inTurn(ask).finally(() => {
    asking = undefined;
  });
  return asking;
}

async function ask(): Promise<boolean> {
  try {
    const headers = { [consoleHeader]: ownKey.current ?? '1' };
    const answer = await fetch(sessionPath, { cache: 'no-store', headers, signal: AbortSignal.timeout(withinMs) });
    if (!answer.ok) return false;
    const { kind } = (await answer.json()) as SessionView;
    if (kind === 'signed-in') return true;
    window.dispatchEvent(new Event(sessionEndedEvent));
    return false;
  } catch {
    // The console is away: whoever asked is told so by its own request.
    return false;
  }
}
