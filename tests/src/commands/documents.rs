//! Tests of the commands `document …`, which manage the documents of workers.

use crate::support::OPEN;
use crate::support::command_line::run_with_and_without_server;

#[test]
fn a_file_is_added_listed_and_deleted() {
    run_with_and_without_server(async |line| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("a written file");
            path.to_string_lossy().into_owned()
        };
        let worker = [OPEN, "EMPLOYEE"];
        let run = |verb: &str, more: &[&str]| line.run(&[&["document", verb][..], &worker, more].concat());
        let added = run("add", &[&file("Note.txt", b"Dear Ann,\n")]);
        assert!(added.code == Some(0) && added.out.starts_with("Document "), "{added:?}");
        let named =
            run("add", &[&file("scan", b"%PDF-1.7\n"), "--name", "Scan.pdf", "--category", "CERTIFICATES"]);
        assert_eq!(named.code, Some(0), "{named:?}");
        let listed = run("list", &[]).out;
        assert!(listed.contains("Note.txt") && listed.contains("application/pdf"), "{listed}");
        for (name, content, error) in
            [("run.exe", &b"MZ\x90\0"[..], "API-62"), ("a:b.txt", b"text", "API-63")]
        {
            let refused = run("add", &[&file(name, content)]);
            assert!(refused.code == Some(1) && refused.errors.contains(error), "{refused:?}");
        }
        let unnamed = line.run(&[&["document", "add"][..], &worker, &["-"]].concat());
        assert!(unnamed.code == Some(1) && unnamed.errors.contains("API-63"), "{unnamed:?}");
        let missing = run("add", &["/nowhere/Note.txt"]);
        assert!(missing.code == Some(2) && missing.errors.contains("/nowhere/Note.txt"), "{missing:?}");
        let json = line.run_json(&[&["document", "list"][..], &worker].concat());
        let id = json["content"][0]["documentId"].as_str().expect("an id");
        line.run_successfully(&[&["document", "delete"][..], &worker, &[id, "--yes"]].concat());
        assert_eq!(
            line.run_json(&[&["document", "list"][..], &worker].concat())["content"].as_array().map(Vec::len),
            Some(1)
        );
    });
}
