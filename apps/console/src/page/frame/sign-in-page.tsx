import { useState } from 'react';
import { type FlowBegun, oidcPath, type SignInProblem, type SignInWay } from '../../session-view.ts';
import { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { sentenceCase } from '../model/amounts.ts';
import { ownKey } from '../session/own-key.ts';
import { SignInForm } from './sign-in-form.tsx';

interface SignInPageProps {
  readonly ways: readonly SignInWay[];
  /** Why the issuer sent the browser back without success. */
  readonly returned: SignInProblem | undefined;
  /** Why nobody is signed in, where there is more to say than that. */
  readonly problem: string | undefined;
}

// why a sign-in at the issuer came to nothing -> in words
const returnedWords: Readonly<Record<SignInProblem, string>> = {
  refused: 'The identity provider refused the sign-in. Try again, or ask whoever runs it.',
  expired: 'The sign-in took longer than ten minutes, or another one was begun in this browser. Try again.',
  unknown: 'You are signed in at the identity provider, but no service here knows you: ask an administrator for access.',
  unavailable: 'The identity provider or the services did not answer. Try again in a moment.',
};

/** All that somebody sees who has not signed in. */
export function SignInPage({ ways, returned, problem }: SignInPageProps) {
  const said = returned === undefined ? problem && sentence(problem) : returnedWords[returned];
  return (
    <main className="lone-page">
      <h1>Sign in to Quartermaster</h1>
      <p role="status">{said}</p>
      {ways.includes('oidc') && <IssuerButton />}
      {ways.includes('link') && (
        <p className="dim">
          On the machine that runs it, <code>quartermaster console link</code> prints a link that signs you in, once.
        </p>
      )}
      {ways.includes('token') && <SignInForm />}
    </main>
  );
}

/** Goes to the issuer, which sends the browser back to where it is now. */
function IssuerButton() {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const begin = async (): Promise<void> => {
    setBusy(true);
    try {
      const { pathname, search } = window.location;
      const { location, key } = await callApi<FlowBegun>(oidcPath, { method: 'POST', body: { returnTo: pathname + search } });
      ownKey.keepFlow(key);
      window.location.assign(location);
    } catch (thrown) {
      setProblem(ApiError.from(thrown).message);
      setBusy(false);
    }
  };
  return (
    <div className="form-actions">
      <button type="button" className="main-button" disabled={isBusy} onClick={() => void begin()}>
        Sign in with your identity provider
      </button>
      {problem !== undefined && <p role="alert">{sentence(problem)}</p>}
    </div>
  );
}

const sentence = (text: string): string => `${sentenceCase(text)}${/[.?!]$/.test(text) ? '' : '.'}`;
