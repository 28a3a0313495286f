/** Characters that are not seen and may do something where they are shown: controls, marks of direction and the like, separators of lines. Half a character, too. */
export const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What somebody else has written, as one line that can stand in a message: without line breaks, colours and other orders to a terminal. */
export const plainLine = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- sequences that colour a terminal begin with a control character
    .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
