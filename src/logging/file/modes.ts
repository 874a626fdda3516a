/** Modes of log folders and files: access for owner and group only. */
export const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;
