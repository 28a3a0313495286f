import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { type SessionAnswer, sessionPath } from '../../console-session.ts';
import { ApiError, isPassing } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { ChangeSessionContext, type Session, SessionContext, sessionOf } from '../session/session.ts';
import { SignInForm } from './sign-in-form.tsx';

const retryIntervalMs = 2_000;

interface SessionChange {
  readonly change: () => Promise<unknown>;
}

/**
 * Finds out who looks before anything is shown: what a session may not see is not asked for either. Before somebody else looks, the pages go: what
 * they still ask would be asked in the name of the new session.
 */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [leaving, setLeaving] = useState<SessionChange>();
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    callApi<SessionAnswer>(sessionPath, { signal: ending.signal }).then(
      (answer) => {
        setSession(sessionOf(answer));
        setProblem(undefined);
      },
      (thrown: unknown) => {
        if (!ending.signal.aborted) setProblem(ApiError.from(thrown));
      },
    );
    return () => ending.abort();
  }, [attempt]);

  // By now the effects of the pages that are gone have ended their requests.
  useEffect(() => {
    leaving?.change().then(
      () => window.location.assign('/'),
      (thrown: unknown) => {
        setProblem(ApiError.from(thrown));
        setSession(undefined);
        setLeaving(undefined);
      },
    );
  }, [leaving]);

  // The service may come later than the page: until it says what the session may do, it is asked again.
  const isWaiting = session === undefined ? problem !== undefined && isPassing(problem) : session.problem !== undefined;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = window.setTimeout(() => setAttempt(attempt + 1), retryIntervalMs);
    return () => window.clearTimeout(timer);
  }, [isWaiting, attempt]);

  const changeSession = useCallback((change: SessionChange['change']) => setLeaving({ change }), []);
  return (
    <ChangeSessionContext value={changeSession}>{leaving === undefined ? shown(session, problem, children) : null}</ChangeSessionContext>
  );
}

function shown(session: Session | undefined, problem: ApiError | undefined, children: ReactNode): ReactNode {
  if (session !== undefined) return <SessionContext value={session}>{children}</SessionContext>;
  if (problem === undefined) return null;
  if (isPassing(problem)) {
    return (
      <main className="lone-page" aria-busy="true">
        <h1>Quartermaster</h1>
        <p role="status">No answer yet: {problem.message}. Retrying automatically.</p>
      </main>
    );
  }
  return (
    <main className="lone-page">
      <h1>Quartermaster</h1>
      <p role="status">{problem.message}</p>
      <SignInForm isSignedIn />
    </main>
  );
}
