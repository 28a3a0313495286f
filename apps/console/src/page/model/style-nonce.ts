/** Inline styles are allowed with the nonce that the server put into the page, and no others. */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
