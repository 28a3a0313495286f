import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { sessionPath } from '../../console-session.ts';
import { type FlowEnded, oidcCallbackPath, type SessionView, type SignInProblem, signInProblems } from '../../session-view.ts';
import { ApiError, isPassing } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { inTurn } from '../api/in-turn.ts';
import { sessionEndedEvent } from '../api/renew-session.ts';
import type { SignInFragment } from '../session/fragment.ts';
import { ownKey } from '../session/own-key.ts';
import { type ChangeSession, ChangeSessionContext, type Session, SessionContext, sessionOf } from '../session/session.ts';
import { LinkOffer, redeem } from './link-offer.tsx';
import { SignInPage } from './sign-in-page.tsx';

const retryIntervalMs = 2_000;

interface SessionProviderProps {
  /** What the address said when the page was opened. */
  readonly fragment: SignInFragment;
  readonly children: ReactNode;
}

/** What the server said last of who looks, and how. */
interface Known {
  readonly view?: SessionView | undefined;
  readonly session?: Session | undefined;
  readonly problem?: ApiError | undefined;
}

/**
 * Finds out who looks before anything is shown: what a session may not see is not asked for either. Before somebody else looks, the pages go: what
 * they still ask would be asked in the name of the new session.
 */
export function SessionProvider({ fragment, children }: SessionProviderProps) {
  const [leaving, setLeaving] = useState<{ readonly change: Parameters<ChangeSession>[0] }>();
  const [known, setKnown] = useState<Known>({});
  const [problems, setProblems] = useState<EntryProblems>({});
  const [attempt, setAttempt] = useState(0);
  const [entry, setEntry] = useState(fragment);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const asked = enter(entry, signal, (came) => {
      setProblems(came);
      setEntry({});
    });
    asked.then(
      (view) => {
        // Another tab signed somebody else in: the page begins anew as theirs.
        if (view.kind === 'other' && ownKey.isReplaced) window.location.reload();
        else setKnown((before) => knownAfter(before, view));
      },
      (thrown: unknown) => {
        // Somebody who looks already goes on looking while the server is away.
        if (!signal.aborted) setKnown((before) => (before.session === undefined ? { problem: ApiError.from(thrown) } : before));
      },
    );
    return () => ending.abort();
  }, [attempt, entry]);
  useEffect(() => {
    const ask = (): void => setAttempt((before) => before + 1);
    const changed = (event: StorageEvent): void => {
      if (ownKey.isOf(event)) ask();
    };
    window.addEventListener(sessionEndedEvent, ask);
    window.addEventListener('storage', changed);
    return () => {
      window.removeEventListener(sessionEndedEvent, ask);
      window.removeEventListener('storage', changed);
    };
  }, []);
  // By now the effects of the pages that are gone have ended their requests.
  useEffect(() => {
    leaving?.change().then(
      (address) => window.location.assign(address),
      (thrown: unknown) => {
        setKnown({ problem: ApiError.from(thrown) });
        setLeaving(undefined);
      },
    );
  }, [leaving]);
  // The service may come later than the page: until it says who looks, it is asked again.
  const isWaiting =
    known.session === undefined && (known.view?.kind === 'signed-in' || (known.problem && isPassing(known.problem)) === true);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = window.setTimeout(() => setAttempt(attempt + 1), retryIntervalMs);
    return () => window.clearTimeout(timer);
  }, [isWaiting, attempt]);
  const changeSession = useCallback<ChangeSession>((change) => setLeaving({ change }), []);
  const shown = entry.code === undefined ? children : <LinkOffer code={entry.code} onKeep={() => setEntry({})} />;
  return (
    <ChangeSessionContext value={changeSession}>
      {leaving === undefined ? <Shown known={known} problems={problems} page={shown} /> : null}
    </ChangeSessionContext>
  );
}

const look = (signal: AbortSignal): Promise<SessionView> => inTurn(() => callApi<SessionView>(sessionPath, { signal }));

/** Why a link or the issuer let nobody in. */
interface EntryProblems {
  readonly link?: string | undefined;
  readonly issuer?: SignInProblem | undefined;
}

/**
 * Signs in by what the address says. The code of a link is redeemed only where nobody is signed in: a link of somebody else's making must not change who looks
 * by being opened. What lets nobody in takes nothing away from whoever is signed in; what could not be asked is asked again.
 */
async function enter(
  { code, returned }: SignInFragment,
  signal: AbortSignal,
  used: (problems: EntryProblems) => void,
): Promise<SessionView> {
  if (returned === undefined) {
    const seen = await look(signal);
    if (code === undefined || seen.kind === 'signed-in') return seen;
  }
  try {
    const view = returned === undefined ? await redeem(code ?? '', signal) : await endFlow(returned, signal);
    used({});
    return view;
  } catch (thrown) {
    const error = ApiError.from(thrown);
    if (signal.aborted || (returned === undefined && isPassing(error))) throw error;
    used({ link: error.message, issuer: signInProblems.find((each) => each === error.reason) });
    return await look(signal);
  }
}

async function endFlow(query: string, signal: AbortSignal): Promise<SessionView> {
  const ended = await callApi<FlowEnded>(oidcCallbackPath, { method: 'POST', body: { query }, key: ownKey.takeFlow(), signal });
  ownKey.keep(ended.key);
  window.history.replaceState(null, '', ended.returnTo);
  return ended;
}

function knownAfter({ session: before }: Known, view: SessionView): Known {
  if (view.kind !== 'signed-in') return { view };
  return { view, session: view.caller === undefined ? before : sessionOf(view, view.caller) };
}

interface ShownProps {
  readonly known: Known;
  readonly problems: EntryProblems;
  readonly page: ReactNode;
}

function Shown({ known: { view, session, problem }, problems: { link, issuer }, page }: ShownProps) {
  if (session !== undefined) return <SessionContext value={session}>{page}</SessionContext>;
  const silence =
    view?.kind === 'signed-in' ? (view.problem ?? 'no service says who you are') : problem && isPassing(problem) && problem.message;
  if (typeof silence === 'string') {
    return (
      <main className="lone-page" aria-busy="true">
        <h1>Quartermaster</h1>
        <p role="status">No answer yet: {silence}. Retrying automatically.</p>
      </main>
    );
  }
  if (view === undefined && problem === undefined) return null;
  const ended = view?.kind === 'ended' ? `Your session has ended${view.problem === undefined ? '' : `: ${view.problem}`}.` : undefined;
  const other = view?.kind === 'other' ? 'Somebody is signed in in this browser, but not by this page: sign in again.' : undefined;
  return <SignInPage ways={view?.signIn ?? ['token']} returned={issuer} problem={link ?? problem?.message ?? ended ?? other} />;
}
