import { type ReactNode, useEffect, useState } from 'react';
import { type SessionAnswer, sessionPath } from '../../console-session.ts';
import { ApiError, isPassing } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { type Session, sessionOf } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SessionContext } from './use-session.ts';

const retryMs = 2_000;

/** Finds out who looks before anything is shown: what a session may not see is not asked for either. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
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

  // The service may come later than the page: until it says what the session may do, it is asked again.
  const isWaiting = session === undefined ? problem !== undefined && isPassing(problem) : session.problem !== undefined;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = window.setTimeout(() => setAttempt(attempt + 1), retryMs);
    return () => window.clearTimeout(timer);
  }, [isWaiting, attempt]);

  if (session !== undefined) return <SessionContext value={session}>{children}</SessionContext>;
  if (problem === undefined) return null;
  if (isPassing(problem)) {
    return (
      <main className="lone-page" aria-busy="true">
        <h1>Quartermaster</h1>
        <p role="status">No answer yet: {problem.message}. Asking again by itself.</p>
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
