limit => {
	// The elements of this document load nothing and run nothing.
	const inert = document.implementation.createHTMLDocument('');
	const late = ['data-src', 'data-srcset', 'data-lazy-src', 'data-lazy-srcset', 'data-original', 'data-original-set', 'data-lazy',
		'data-original-src', 'data-hi-res-src', 'data-full-src', 'data-url'];
	const rules = sheet => {
		try {
			return Array.from(sheet.cssRules, rule => rule.cssText).join('\n');
		} catch {
			return ''; // of another site
		}
	};
	const style = text => {
		const made = inert.createElement('style');
		made.textContent = text;
		return made;
	};
	// An image of the copy is the one that the browser chose, in the same size.
	const image = (from, to) => {
		if (!from.complete || !from.naturalWidth || !/^(https?|data):/.test(from.currentSrc)) return;
		const chosen = from.hasAttribute('srcset') || from.parentNode instanceof HTMLPictureElement;
		for (const name of [...late, 'srcset', 'sizes']) to.removeAttribute(name);
		to.setAttribute('src', from.currentSrc);
		if (chosen && !to.hasAttribute('width') && !to.hasAttribute('height')) to.setAttribute('width', from.naturalWidth);
	};
	const drawing = from => {
		const made = inert.createElement('img');
		for (const a of from.attributes) if (a.name !== 'src') made.setAttribute(a.name, a.value);
		try {
			made.setAttribute('src', from.toDataURL());
		} catch {
			return inert.importNode(from, false); // it contains an image of another site
		}
		return made;
	};
	const copy = from => {
		if (from instanceof Comment) return null;
		if (!(from instanceof Element)) return inert.importNode(from, false);
		if (from instanceof HTMLScriptElement || from.localName === 'noscript') return null;
		if (from instanceof HTMLCanvasElement) return drawing(from);
		if (from instanceof HTMLSourceElement && from.parentNode instanceof HTMLPictureElement && from.parentNode.querySelector('img')?.naturalWidth) return null;
		const to = inert.importNode(from, from instanceof HTMLTemplateElement);
		if (from instanceof HTMLTemplateElement) return to;
		if (from instanceof HTMLImageElement) image(from, to);
		if (from instanceof HTMLInputElement) {
			if (['checkbox', 'radio'].includes(from.type)) to.toggleAttribute('checked', from.checked);
			else if (!['password', 'file', 'hidden', 'image'].includes(from.type)) to.setAttribute('value', from.value);
		}
		if (from instanceof HTMLOptionElement) to.toggleAttribute('selected', from.selected);
		if (from instanceof HTMLTextAreaElement) {
			to.textContent = from.value;
			return to;
		}
		if (from instanceof HTMLStyleElement && from.sheet && !from.textContent.trim()) {
			to.textContent = rules(from.sheet); // written by a script
			return to;
		}
		if (from.shadowRoot) {
			const root = inert.createElement('template');
			root.setAttribute('shadowrootmode', 'open');
			for (const sheet of from.shadowRoot.adoptedStyleSheets) root.content.append(style(rules(sheet)));
			children(from.shadowRoot, root.content);
			to.append(root);
		}
		children(from, to);
		return to;
	};
	const children = (from, to) => {
		for (const child of from.childNodes) {
			const made = copy(child);
			if (made) to.append(made);
		}
	};
	const root = copy(document.documentElement);
	const head = root.querySelector('head') || root;
	for (const sheet of document.adoptedStyleSheets) head.append(style(rules(sheet)));
	const kind = document.doctype;
	const html = (kind ? new XMLSerializer().serializeToString(kind) : '') + root.outerHTML;
	if (html.length > limit) throw new Error('the page is too large');
	return {URL: location.href, HTML: html};
}
