async limit => {
	const page = document.scrollingElement || document.documentElement;
	const step = innerHeight;
	const wait = () => new Promise(done => setTimeout(done, 60));
	for (let y = 0; y < Math.min(page.scrollHeight, limit); y += step) {
		scrollTo(0, y);
		await wait();
	}
	scrollTo(0, 0);
	await wait();
	return page.scrollHeight;
}
