import { type SyntheticEvent, useState } from 'react';
import { sessionPath } from '../../console-session.ts';
import type { SessionView } from '../../session-view.ts';
import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { FieldFrame } from '../parts/field-frame.tsx';
import { ownKey } from '../session/own-key.ts';
import { useChangeSession } from '../session/session.ts';

const hint = (
  <>
    From your identity provider, or a file in <code>tokens</code> of the data directory. It goes into a sealed cookie, which no script can
    read.
  </>
);

/** Takes a token. The page begins anew with it: nothing of the session before stays. */
export function SignInForm() {
  const changeSession = useChangeSession();
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const openSession = (isDryRun: boolean): Promise<SessionView> =>
    callApi<SessionView>(sessionPath, { method: 'POST', body: { token: token.trim() }, isDryRun });
  const signIn = async (): Promise<void> => {
    setBusy(true);
    try {
      // A token that is not taken is told here, beside the field, and the page behind stays as it is.
      await openSession(true);
      // A page with a fragment would not be loaded anew.
      changeSession(async () => {
        ownKey.keep((await openSession(false)).key);
        const { pathname, search } = window.location;
        return pathname + search;
      });
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
      </div>
    </form>
  );
}
