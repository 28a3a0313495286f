import type { Tone } from '@quartermaster/api/states';

export function Dot({ tone }: { readonly tone: Tone }) {
  return <span className={`dot fill-${tone}`} aria-hidden="true" />;
}

/** A state is a dot and a word, everywhere: nobody has to tell colours apart. */
export function StateWord({ tone, word }: { readonly tone: Tone; readonly word: string }) {
  return (
    <span className="state">
      <Dot tone={tone} />
      <span className="state-word" title={word}>
        {word}
      </span>
    </span>
  );
}
