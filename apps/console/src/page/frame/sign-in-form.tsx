import { type SyntheticEvent, useState } from 'react';
import { sessionPath } from '../../console-session.ts';
import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { FieldFrame } from '../parts/field-frame.tsx';
import { useChangeSession } from '../session/session.ts';

const hint = (
  <>
    From your identity provider, or a file in <code>tokens</code> of the data directory. The console server keeps it; this browser does not.
  </>
);

/** Takes a token, or takes the session away. Either way the page begins anew: nothing of the one before stays. */
export function SignInForm({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const changeSession = useChangeSession();
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const openSession = (isDryRun: boolean): Promise<unknown> =>
    callApi(sessionPath, { method: 'POST', body: { token: token.trim() }, isDryRun });
  const signIn = async (): Promise<void> => {
    setBusy(true);
    try {
      // A token that is not taken is told here, beside the field, and the page behind stays as it is.
      await openSession(true);
      changeSession(() => openSession(false));
    } catch (thrown) {
      setProblem(ApiError.from(thrown).message);
      setBusy(false);
    }
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (token.trim() === '') setProblem('Paste a token first.');
    else void signIn();
  };
  return (
    <form className="form" onSubmit={submit}>
      <FieldFrame label="Token" hint={hint} problem={problem}>
        {(control) => (
          <textarea
            {...control}
            className="field mono token-field"
            rows={4}
            value={token}
            onChange={({ currentTarget }) => setToken(currentTarget.value)}
          />
        )}
      </FieldFrame>
      <div className="form-actions">
        <button type="submit" className="main-button" disabled={isBusy}>
          Sign in
        </button>
        {isSignedIn && (
          <button
            type="button"
            className="quiet-button"
            disabled={isBusy}
            onClick={() => changeSession(() => callApi(sessionPath, { method: 'DELETE' }))}
          >
            Sign out
          </button>
        )}
      </div>
    </form>
  );
}
