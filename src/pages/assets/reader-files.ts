/** Downloads: the book and its other formats, with the corrections of this moment. What has to be made is waited for in sight. */
import { byId, element } from './dom.ts';
import { makeFile } from './reader-data.ts';

/** @param saveOpen saves what is being typed; false = it could not be saved */
export function setUpFiles(saveOpen: () => Promise<boolean>): void {
  byId('foot-bar').hidden = false;
  const status = byId('foot-status');
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-file]')];
  const download = async (fileId: string) => {
    byId('files').hidePopover();
    if (!(await saveOpen())) return;
    for (const button of buttons) button.disabled = true;
    status.textContent = 'Preparing the file…';
    try {
      const { file_name } = await makeFile(fileId);
      const link = element('a', { href: `download?file_id=${fileId}`, download: file_name });
      link.click();
      status.textContent = `${file_name} is being downloaded.`;
    } catch (error) {
      status.textContent = (error as Error).message;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };
  for (const button of buttons) button.addEventListener('click', () => void download(button.dataset.file ?? 'book'));
}
