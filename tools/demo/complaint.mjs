/** Something the reader can do something about: printed as a sentence, without a stack. */
export class Complaint extends Error {}
